"""The library's scan: a first one and unchanged ones of many small models, and first looks at single large headers.

Usage: python -m tests.bench.library_scan [MODEL.gguf...]. Prints JSON, in ms: the median first scan a model, the median
unchanged rescan of all, and for the starter model and each MODEL the median first look (header, facts, completeness)
with the processor time in it, which other programs on a busy machine do not lengthen.
`longest_gil_ms` is the longest time in which another Python thread got no turn while the library was scanned first.
"""

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time

from tests.gguf.forge import CHATML, TOKENS, TinyModel, forge_llama_model

from quern.base import Database, Home
from quern.gguf import inspect_model
from quern.models import TABLES, Library
from quern.models.starter import starter_path

N_MODELS = 300
RUNS = 7
N_TOKENS = 3000
TEMPLATE = CHATML * 20  # 4 KB, as real templates are


class Watch:
    """Owns a thread that measures how long it has to wait for its turns."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._over = Event()
        self._thread = Thread(target=self._run)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        before = perf_counter()
        while not self._over.wait(0.001):
            now = perf_counter()
            self.longest_s = max(self.longest_s, now - before - 0.001)
            before = now


def write_models(folder: Path) -> None:
    """Write N_MODELS models of a real model's kind of header, each with metadata of its own."""
    tokens = (*TOKENS, *(f"token{number}" for number in range(N_TOKENS - len(TOKENS))))
    model = forge_llama_model(folder / "0.gguf", TinyModel(tokens=tokens, chat_template=TEMPLATE))
    data = model.read_bytes()
    for number in range(1, N_MODELS):
        path = folder / f"maker{number % 20}" / f"model{number}.gguf"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data.replace(b"Tiny Test Model", b"Tiny Model %4d" % number))


def median_ms(durations_s: list[float]) -> float:
    """Return the median, in ms."""
    return round(1000 * statistics.median(durations_s), 2)


def timed(action: Callable[[], object]) -> float:
    """Return how many seconds `action` takes."""
    start = perf_counter()
    action()
    return perf_counter() - start


def look_at(path: Path) -> tuple[float, float]:
    """Inspect a model; return the seconds by the clock and on the processor."""
    cpu = process_time()
    wall_s = timed(lambda: inspect_model(path))
    return wall_s, process_time() - cpu


def measure_library(folder: Path) -> dict[str, float]:
    """Scan a library of its own in `folder`."""
    home = Home(folder)
    home.prepare()
    write_models(home.models)
    first_s: list[float] = []
    rescan_s: list[float] = []
    longest_s: list[float] = []
    for run in range(RUNS):
        database = Database.open(folder / f"{run}.db", (TABLES,), home.backups)
        library = Library(home, database)
        with Watch() as watch:
            first_s.append(timed(library.scan) / N_MODELS)
        longest_s.append(watch.longest_s)
        rescan_s.append(timed(library.scan))
        assert all(entry.is_usable for entry in library.scan())
        database.close()
    return {
        "models": N_MODELS,
        "first_scan_a_model_ms": median_ms(first_s),
        "rescan_of_all_ms": median_ms(rescan_s),
        "longest_gil_ms": median_ms(longest_s),
    }


def main(paths: list[str]) -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        figures: dict[str, object] = dict(measure_library(Path(folder)))
    starter = starter_path()
    looked_at = ([] if starter is None else [starter]) + [Path(path) for path in paths]
    for path in looked_at:
        looks = [look_at(path) for _ in range(RUNS)]
        wall_s, cpu_s = zip(*looks, strict=True)
        figures[f"first_look_ms {path.name}"] = {"wall": median_ms(list(wall_s)), "cpu": median_ms(list(cpu_s))}
    figures["cpus"] = os.cpu_count() or 0
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
