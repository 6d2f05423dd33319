"""The instant figure of the compute buffer against llama.cpp's own, on shapes that it was and was not made with.

Usage: python -m tests.bench.fit_compute [PART OF A NAME...]. Takes some minutes. Compares, with all twelve settings:
`made_with`, the tiny models of the zoo; `unseen`, as many of the same kinds with other sizes; `published`, the
well-known models bare and with their tensors. Prints the architectures that are not exact, the ten worst cases, and
JSON: median, 95th percentile and worst deviation of the compute buffer, and of KV cache, state and compute together
(weights too where there are tensors); and how many microseconds of this process an answer takes, beside a yardstick.
"""

import json
import os
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from tests.fit.zoo import PUBLISHED, SETTINGS, ZOO, Oracle, ZooEntry

from quern.fit import ModelShape, SettingsRefused, kv_bytes_by_layer, recurrent_bytes_by_layer, shape_of
from quern.fit.buffer.compute import compute_bytes
from quern.gguf import read_model_header
from quern.spec import LoadSettings

ROUNDS = 30
N_UNSEEN = 2
ROUGH = "its graph is built of a relative's layers"
REASONS = {
    **dict.fromkeys(("deepseek4", "dots3note", "glm5-next", "hy_v4", "kimi-k3", "qwen4exp"), ROUGH),
    "wavtokenizer-dec": "its convolutions are not described: no chat model",
    "ernie4_5-moe": "llama.cpp leaves layers without feed-forward part where a made-up header says every second",
    "llama4": "two small inputs and steps of layers without rotation are not told apart",
    "deepseek32": "a layer that is left out finds less room than those that are played",
    "gemma3n": "a layer that is left out finds less room than those that are played",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One model with one setting: by how much compute buffer and total deviate."""

    group: str
    architecture: str
    name: str
    setting: int
    compute: float
    total: float


def main(wanted: list[str]) -> None:
    """Compare the models whose name has one of `wanted` in it, all without."""
    os.environ["GGML_NO_BACKTRACE"] = "1"  # llama.cpp ends its process on some settings; nobody reads where
    with TemporaryDirectory() as folder, Oracle() as oracle:
        path = Path(folder) / "model.gguf"
        cases = [
            case
            for group, architecture, name in _written(path)
            if not wanted or any(part in name for part in wanted)
            for case in _compared(path, oracle, group, architecture, name)
        ]
        times = {} if wanted else _times(path)
    _print_inexact(cases)
    report = {group: _summary([case for case in cases if case.group == group]) for group in _groups(cases)}
    print(json.dumps({**report, "microseconds": times}, indent=2))


def _written(path: Path) -> Iterator[tuple[str, str, str]]:
    """Write one model after the other to `path`; yield its group, architecture and name."""
    for entry in ZOO:
        entry.write(path)
        yield "made_with", entry.architecture, entry.name
    for entry in ZOO:
        for number in range(N_UNSEEN):
            unseen = ZooEntry(entry.architecture, f"{entry.name} unseen {number}", entry.parts)
            unseen.write(path)
            yield "unseen", unseen.architecture, unseen.name
    for model in PUBLISHED:
        model.write(path)
        yield "published", model.architecture, model.name
        model.write_with_tensors(path)
        yield "published_with_tensors", model.architecture, model.name


def _compared(path: Path, oracle: Oracle, group: str, architecture: str, name: str) -> Iterator[Case]:
    shape = shape_of(read_model_header(path))
    for number, settings in enumerate(SETTINGS):
        measured = oracle.measure(path, settings)
        if measured is None:
            continue
        mine = compute_bytes(shape, settings)
        held = _held(shape, settings)
        # Weights are taken as measured: they are another formula's matter.
        total = measured.kv + measured.recurrent + measured.compute + measured.weights * ("tensors" in group)
        reckoned = held + mine + measured.weights * ("tensors" in group)
        yield Case(group, architecture, name, number, mine / measured.compute - 1, reckoned / total - 1)


def _held(shape: ModelShape, settings: LoadSettings) -> int:
    try:
        return sum(kv_bytes_by_layer(shape, settings)) + sum(recurrent_bytes_by_layer(shape, settings))
    except SettingsRefused as error:
        raise AssertionError("llama.cpp takes settings that the formula refuses") from error


def _groups(cases: Iterable[Case]) -> list[str]:
    return list(dict.fromkeys(case.group for case in cases))


def _summary(cases: list[Case]) -> dict[str, object]:
    inexact = {case.architecture for case in cases if case.compute != 0}
    return {
        "cases": len(cases),
        "architectures": len({case.architecture for case in cases}),
        "architectures_exact": len({case.architecture for case in cases} - inexact),
        "cases_exact": sum(case.compute == 0 for case in cases),
        "compute": _spread([abs(case.compute) for case in cases]),
        "total": _spread([abs(case.total) for case in cases]),
        "compute_without_rough": _spread([abs(case.compute) for case in cases if not _is_rough(case)]),
        "total_without_rough": _spread([abs(case.total) for case in cases if not _is_rough(case)]),
    }


def _is_rough(case: Case) -> bool:
    return REASONS.get(case.architecture) == ROUGH or case.architecture == "wavtokenizer-dec"


def _spread(deviations: list[float]) -> dict[str, str]:
    ordered = sorted(deviations)
    at_95 = ordered[len(ordered) * 95 // 100]
    return {"median": f"{statistics.median(ordered):.3%}", "p95": f"{at_95:.3%}", "worst": f"{ordered[-1]:.3%}"}


def _print_inexact(cases: list[Case]) -> None:
    for architecture, found in groupby(sorted(cases, key=_by_architecture), key=_by_architecture):
        own = list(found)
        if any(case.compute for case in own):
            n_exact = sum(case.compute == 0 for case in own)
            print(f"{architecture}: exact in {n_exact} of {len(own)}, {_spread([abs(case.compute) for case in own])}")
    for case in sorted(cases, key=lambda case: -abs(case.compute))[:10]:
        reason = REASONS.get(case.architecture, "not known")
        print(f"worst: {case.name}, setting {case.setting}: {case.compute:+.2%}, total {case.total:+.2%}; {reason}")


def _by_architecture(case: Case) -> str:
    return case.architecture


def _times(path: Path) -> dict[str, float]:
    """Microseconds of an answer by published model; `sum(range(1000))` takes 6 on a quick machine that is idle."""
    times = {"sum(range(1000))": _fastest(lambda: sum(range(1000)))}
    for model in PUBLISHED:
        shape = shape_of(read_model_header(model.write_with_tensors(path)))
        times[model.name] = max(_fastest(partial(compute_bytes, shape, settings)) for settings in SETTINGS[:2])
    return times


def _fastest(work: Callable[[], object]) -> float:
    fastest = float("inf")
    for _ in range(ROUNDS):
        began = process_time()
        work()
        fastest = min(fastest, process_time() - began)
    return round(fastest * 1e6, 1)


if __name__ == "__main__":
    main(sys.argv[1:])
