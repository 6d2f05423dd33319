"""How long the instant answer takes from a parsed header, a slider's step after the other.

Usage: python -m tests.bench.fit_instant [FILE...]; without files, the published models of the zoo and the starter
model. Prints microseconds a step for each slider, the median over new positions that no answer is kept of: context,
ubatch, GPU layers (an engine with two CUDA cards is pretended) and KV type; and the whole report in milliseconds.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tests.fit.forged import GIB, MIB, engine, gpu
from tests.fit.zoo import PUBLISHED

from quern.fit import Corrections, FitSubject, InstantEstimator, Room, RoomKind, RuntimeCosts, judge, leeway_of
from quern.gguf import ModelHeader, read_model_header
from quern.models.starter import starter_path
from quern.spec import FlashAttention, KvType, LoadSettings

BASE = LoadSettings(n_ctx_cells=4096, n_threads=4, flash_attention=FlashAttention.ON)
ROOMS = (
    Room(device="CPU", label="CPU", kind=RoomKind.HOST, total=32 * GIB, free=24 * GIB, margin=2 * GIB),
    Room(device="CUDA0", label="A", kind=RoomKind.GPU, total=12 * GIB, free=11 * GIB, margin=614 * MIB),
    Room(device="CUDA1", label="B", kind=RoomKind.GPU, total=24 * GIB, free=23 * GIB, margin=1 * GIB),
)


def headers(paths: list[str], folder: Path) -> Iterator[tuple[str, ModelHeader]]:
    """Yield the named files, or the published models."""
    if paths:
        for path in map(Path, paths):
            yield path.stem, read_model_header(path)
        return
    if (starter := starter_path()) is not None:
        yield "starter", read_model_header(starter)
    for published in PUBLISHED:
        yield published.name, read_model_header(published.write_with_tensors(folder / f"{published.name}.gguf"))


def step_us(estimator: InstantEstimator, steps: list[LoadSettings]) -> float:
    """Return the median microseconds of one answer."""
    times: list[float] = []
    for settings in steps:
        began = time.perf_counter()
        estimator.needs(settings)
        times.append((time.perf_counter() - began) * 1e6)
    return statistics.median(times)


def report_ms(estimator: InstantEstimator, model: ModelHeader, settings: LoadSettings) -> float:
    """Return the milliseconds of a whole report: verdict, largest context, advice."""
    leeway = leeway_of(estimator.shape, model)
    began = time.perf_counter()
    judge(estimator, settings, ROOMS, estimator.shape.n_ctx_train, leeway)
    return (time.perf_counter() - began) * 1e3


def main() -> None:
    """Measure each model."""
    cards = engine(gpu("CUDA0", 11 * GIB), gpu("CUDA1", 23 * GIB), system_info="CPU : AVX2 = 1 | REPACK = 1")
    sliders: dict[str, Callable[[int], LoadSettings]] = {
        "context": lambda n: replace(BASE, n_ctx_cells=256 * (n + 17)),
        "context, CPU": lambda n: replace(BASE, n_ctx_cells=256 * (n + 17), n_gpu_layers=0),
        "ubatch": lambda n: replace(BASE, n_ubatch_tokens=32 + 8 * n),
        "GPU layers": lambda n: replace(BASE, n_gpu_layers=n + 1),
        "KV type": lambda n: replace(BASE, type_k=list(KvType)[n % 3], type_v=list(KvType)[n % 3]),
    }
    print(f"{'model':24}{'parse':>9}{''.join(f'{name:>14}' for name in sliders)}{'report':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name, model in headers(sys.argv[1:], Path(folder)):
            began = time.perf_counter()
            subject = FitSubject(model=model)
            estimator = InstantEstimator(subject, cards, RuntimeCosts(), Corrections())
            made_ms = (time.perf_counter() - began) * 1e3
            figures = "".join(f"{step_us(estimator, [s(n) for n in range(30)]):12.0f}us" for s in sliders.values())
            whole = report_ms(estimator, model, replace(BASE, n_ctx_cells=32_768, n_gpu_layers=5))
            print(f"{name:24}{made_ms:7.1f}ms{figures}{whole:7.1f}ms", flush=True)


if __name__ == "__main__":
    main()
