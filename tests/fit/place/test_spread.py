"""Models split over several devices: what llama.cpp's own breakdown said with two RPC servers, recorded.

llama-cpp-python 0.3.36 built with GGML_RPC=ON, two servers on CPUs, published shapes with tensors, 4,096 cells, flash
attention, no packing. Weights and KV cache must be right to the byte, scratch but for padding (of 128 bytes here, of 32
there) where the machine's memory holds layers too; elsewhere and in hybrid models within 10 %.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.fit.fake_estimator import closed
from tests.fit.forged import MIB, cpu, gpu
from tests.fit.zoo import PUBLISHED

from quern.fit.formula.reckoner import Reckoner
from quern.fit.need import Needs
from quern.fit.place.buffer_type import CpuKernels
from quern.gguf import ModelHeader, read_model_header
from quern.spec import ExtraBuffers

RPC = (gpu("RPC0", backend="RPC"), gpu("RPC1", backend="RPC"))


Found = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One load of a published model, and bytes of weights, KV cache and state, and compute buffer of each device."""

    model: str
    n_gpu_layers: int | None
    split: tuple[float, ...]
    n_cpu_moe_layers: int
    host: Found
    first: Found
    second: Found


ALL, SOME, HEAD, EXPERTS = (None, (10.0, 20.0), 0), (12, (1.0, 3.0), 0), (1, (1.0, 1.0), 0), (None, (3.0, 1.0), 9)

RECORDED = (
    Recorded(
        "Llama 3.1 8B",
        *ALL,
        (295501824, 0, 58769536),
        (1447198720, 184549376, 163618816),
        (3170197504, 352321536, 197173376),
    ),
    Recorded(
        "Llama 3.1 8B",
        *SOME,
        (3018522624, 352321536, 125841440),
        (384368640, 50331648, 109062144),
        (1510006784, 134217728, 109062176),
    ),
    Recorded("Llama 3.1 8B", *HEAD, (4481941504, 536870912, 125841440), (430956544, 0, 529408), (0, 0, 0)),
    Recorded(
        "Qwen3 30B A3B",
        *ALL,
        (175030272, 0, 37798016),
        (6443738112, 142606336, 121675776),
        (11931948032, 260046848, 138453120),
    ),
    Recorded(
        "Qwen3 30B A3B",
        *SOME,
        (14012421120, 310378496, 96481312),
        (1106439168, 25165824, 100689920),
        (3431856128, 67108864, 84420640),
    ),
    Recorded("Qwen3 30B A3B", *HEAD, (18295455744, 402653184, 96481312), (255260672, 0, 689696), (0, 0, 0)),
    Recorded(
        "Qwen3 30B A3B",
        *EXPERTS,
        (3596009472, 0, 84160064),
        (10416411648, 310378496, 92284928),
        (4538295296, 92274688, 84420640),
    ),
    Recorded(
        "Gemma 3 1B", *ALL, (320864256, 0, 45432960), (225937152, 37748736, 92348416), (744673792, 71303168, 101785728)
    ),
    Recorded(
        "Gemma 3 1B",
        *SOME,
        (694689024, 62914560, 60051488),
        (73943808, 12582912, 55592960),
        (522842368, 33554432, 55592992),
    ),
    Recorded("Gemma 3 1B", *HEAD, (970606336, 109051904, 60051488), (320868864, 0, 1053184), (0, 0, 0)),
    Recorded(
        "Granite 4.0 H Tiny",
        *ALL,
        (86704128, 0, 32555264),
        (1447230272, 29355008, 76587136),
        (2732307904, 62260224, 89170176),
    ),
    Recorded(
        "Granite 4.0 H Tiny",
        *SOME,
        (3033972352, 67098624, 57684032),
        (301873344, 4838400, 50343968),
        (930396608, 19678208, 48546880),
    ),
    Recorded("Granite 4.0 H Tiny", *HEAD, (4179532032, 91615232, 57684032), (86710272, 0, 407552), (0, 0, 0)),
    Recorded(
        "Granite 4.0 H Tiny",
        *EXPERTS,
        (928972800, 0, 48377696),
        (2297597696, 70324224, 54041632),
        (1039671808, 21291008, 48546880),
    ),
)


@cache
def header(name: str) -> ModelHeader:
    (published,) = [one for one in PUBLISHED if one.name == name]
    with TemporaryDirectory() as folder:
        return read_model_header(published.write_with_tensors(Path(folder) / "model.gguf"))


@pytest.mark.parametrize("load", RECORDED, ids=lambda one: f"{one.model} {one.n_gpu_layers} {one.n_cpu_moe_layers}")
def test_each_device_is_reckoned_as_llama_cpp_said(load: Recorded) -> None:
    settings = closed(
        n_gpu_layers=load.n_gpu_layers,
        tensor_split=load.split,
        n_cpu_moe_layers=load.n_cpu_moe_layers,
        extra_buffers=ExtraBuffers.AVOIDED,
        mmap=False,
    )
    reckoner = Reckoner(header(load.model), (cpu(), *RPC), CpuKernels(frozenset()))
    needs = reckoner.reckon(settings).needs
    for device, (weights, context, compute) in zip(
        ("CPU", "RPC0", "RPC1"), (load.host, load.first, load.second), strict=True
    ):
        found = needs.get(device, Needs())
        assert (device, found.weights, found.kv + found.recurrent) == (device, weights, context)
        assert found.compute == pytest.approx(compute, rel=0.10, abs=MIB)
        if load.n_gpu_layers is not None and load.model != "Granite 4.0 H Tiny":
            assert abs(found.compute - compute) <= 256


def test_a_pipeline_of_gpus_keeps_its_inputs_several_times() -> None:
    whole = closed(tensor_split=(1.0, 1.0))
    reckoner = Reckoner(header("Gemma 3 1B"), (cpu(), *RPC), CpuKernels(frozenset()))
    piped = reckoner.reckon(whole).needs
    broken = reckoner.reckon(replace(whole, n_gpu_layers=26)).needs
    assert piped["RPC1"].compute > 1.5 * broken["RPC1"].compute
    assert piped["RPC1"].compute > piped["RPC0"].compute


def test_one_gpu_is_no_pipeline() -> None:
    reckoner = Reckoner(header("Gemma 3 1B"), (cpu(), RPC[0]), CpuKernels(frozenset()))
    assert reckoner.reckon(closed()).needs["RPC0"].compute == pytest.approx(57690144, rel=0.01)
