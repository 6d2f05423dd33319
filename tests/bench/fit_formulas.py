"""The formulas of fit against llama.cpp itself: every tiny model, every published one, all twelve settings.

Usage: python -m tests.bench.fit_formulas [PART OF A NAME...]. Takes about two minutes. Prints every difference, then
JSON: how many cases there were, in how many `kv` and `recurrent` are the same to the byte, both refuse, or one does;
and, in microseconds over the published models, the median and worst time of reading a shape and of one evaluation.
"""

import json
import os
import statistics
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.fit.zoo import PUBLISHED, SETTINGS, ZOO, Measured, Oracle, PublishedModel, ZooEntry

from quern.fit import FitUnknown, ModelShape, kv_bytes_by_layer, recurrent_bytes_by_layer, shape_of
from quern.gguf import read_model_header
from quern.spec import LoadSettings

ROUNDS = 200
Model = ZooEntry | PublishedModel


def main(wanted: list[str]) -> None:
    """Compare the models whose name has one of `wanted` in it, all without; time the published ones."""
    os.environ["GGML_NO_BACKTRACE"] = "1"  # llama.cpp ends its process on some settings; nobody reads where
    models = [model for model in (*ZOO, *PUBLISHED) if not wanted or any(part in model.name for part in wanted)]
    with TemporaryDirectory() as folder, Oracle() as oracle:
        path = Path(folder) / "model.gguf"
        outcomes: Counter[str] = Counter()
        for model in models:
            outcomes.update(compare(model, path, oracle))
        times = [] if wanted else [timed(model, path) for model in PUBLISHED]
    report: dict[str, object] = {
        "models": len(models),
        "architectures": len({model.architecture for model in models}),
        "settings": len(SETTINGS),
        "outcomes": dict(outcomes),
    }
    for name, column in zip(("shape_us", "kv_us", "recurrent_us"), zip(*times, strict=True), strict=False):
        report[name] = {"median": round(statistics.median(column), 1), "worst": round(max(column), 1)}
    print(json.dumps(report, indent=2))


def compare(model: Model, path: Path, oracle: Oracle) -> list[str]:
    """Return for each setting how formula and llama.cpp agree; print where they do not."""
    shape = shape_of(read_model_header(model.write(path)))
    outcomes: list[str] = []
    for number, settings in enumerate(SETTINGS):
        mine, measured = reckoned(shape, settings), oracle.measure(path, settings)
        outcome = judged(mine, measured)
        if outcome not in {"same", "both refuse"}:
            print(f"{model.name}, setting {number}: {outcome}: {mine}, llama.cpp {measured}", flush=True)
        outcomes.append(outcome)
    return outcomes


def reckoned(shape: ModelShape, settings: LoadSettings) -> tuple[int, int] | None:
    """Return the bytes of KV cache and recurrent state, None where the settings are refused."""
    try:
        return sum(kv_bytes_by_layer(shape, settings)), sum(recurrent_bytes_by_layer(shape, settings))
    except FitUnknown:
        return None


def judged(mine: tuple[int, int] | None, measured: Measured | None) -> str:
    """Return how the two agree, in words."""
    if mine is None or measured is None:
        return "both refuse" if mine is measured else "only llama.cpp refuses" if mine else "only the formula refuses"
    return "same" if mine == (measured.kv, measured.recurrent) else "different"


def timed(model: PublishedModel, path: Path) -> tuple[float, float, float]:
    """Return microseconds: the shape of a parsed header with tensors, the KV cache's bytes, the state's."""
    header = read_model_header(model.write_with_tensors(path))
    shape = shape_of(header)
    return (
        microseconds(lambda: shape_of(header)),
        microseconds(lambda: kv_bytes_by_layer(shape, SETTINGS[1])),
        microseconds(lambda: recurrent_bytes_by_layer(shape, SETTINGS[1])),
    )


def microseconds(work: Callable[[], object]) -> float:
    """Return the fastest of `ROUNDS` runs: what others do on this machine does not count."""
    fastest = float("inf")
    for _ in range(ROUNDS):
        began = perf_counter()
        work()
        fastest = min(fastest, perf_counter() - began)
    return fastest * 1e6


if __name__ == "__main__":
    main(sys.argv[1:])
