"""Gaps that no recorded machine shows, and what holds for all of them."""

from dataclasses import replace

import pytest

from quern.base import WorkerAborted, WorkerFailed, WorkerTimedOut
from quern.hardware import (
    Cpu,
    Gap,
    GapCause,
    GapWeight,
    Gpu,
    GpuFault,
    Machine,
    Memory,
    Place,
    Vendor,
    device_of,
    gaps_of,
    gpu_fallback,
)

from .recorded.machine import engine, seen

CARD = Gpu(vendor=Vendor.NVIDIA, name="NVIDIA GeForce RTX 4070", address="0000:01:00.0")


def machine(*gpus: Gpu, place: Place | None = None) -> Machine:
    cpu = Cpu(
        brand="A CPU",
        architecture="x86_64",
        n_physical_cores=4,
        n_logical_cores=8,
        n_performance_cores=4,
        n_usable_threads=8,
        features=(),
    )
    memory = Memory(total_bytes=1, available_bytes=1)
    return Machine(cpu=cpu, memory=memory, gpus=gpus, place=place or Place(system="Linux"))


def only_gap(gpu: Gpu, place: Place | None = None) -> Gap:
    (gap,) = gaps_of(machine(gpu, place=place), engine())
    return gap


@pytest.mark.parametrize("fault", GpuFault)
@pytest.mark.parametrize("system", ["Linux", "Windows", "macOS"])
@pytest.mark.parametrize("vendor", Vendor)
def test_every_fault_is_told_with_advice(fault: GpuFault, system: str, vendor: Vendor) -> None:
    gpu = replace(CARD, vendor=vendor, fault=fault)
    gap = only_gap(gpu, Place(system=system))
    assert CARD.name in gap.sentence
    assert gap.sentence.endswith(".")
    assert gap.advice.endswith(".")
    assert gap.weight is GapWeight.LOSS
    assert gpu.problem


@pytest.mark.parametrize(
    ("vendor", "container", "command"),
    [
        (Vendor.NVIDIA, "podman", "podman run --device nvidia.com/gpu=all"),
        (Vendor.AMD, "docker", "docker run --device /dev/kfd --device /dev/dri --group-add video"),
        (Vendor.NVIDIA, "kubernetes", None),
    ],
)
def test_a_container_is_told_how_to_get_the_card(vendor: Vendor, container: str, command: str | None) -> None:
    gpu = replace(CARD, vendor=vendor, fault=GpuFault.NOT_PASSED)
    assert only_gap(gpu, Place(system="Linux", container=container)).command == command


def test_a_variable_is_taken_away_in_the_systems_own_shell() -> None:
    blind = engine(backends=("CUDA",), hidden_by=("CUDA_VISIBLE_DEVICES=",))
    (gap,) = gaps_of(machine(CARD, place=Place(system="Windows")), blind)
    assert (gap.cause, gap.command) == (GapCause.DEVICE_HIDDEN, "Remove-Item Env:CUDA_VISIBLE_DEVICES")


@pytest.mark.parametrize("error", [WorkerAborted("devices", "x"), WorkerTimedOut("devices", 30)])
def test_an_engine_that_does_not_survive_the_question_blames_the_driver(error: Exception) -> None:
    assert isinstance(error, WorkerAborted | WorkerTimedOut)
    (gap,) = gaps_of(machine(), error)
    assert (gap.cause, gap.command) == (GapCause.ENGINE_FAILED, None)
    assert "update the driver" in gap.advice


def test_an_engine_that_fails_otherwise_keeps_its_own_advice() -> None:
    error = WorkerFailed("devices", "it has a cold.")
    (gap,) = gaps_of(machine(), error)
    assert gap.advice == error.next_step


@pytest.mark.parametrize(
    ("reason", "word"),
    [("libcuda.so.1: cannot open", "Install NVIDIA's driver"), ("no such file", "that Quern runs in")],
)
def test_an_engine_that_does_not_load_is_installed_anew(reason: str, word: str) -> None:
    (gap,) = gaps_of(machine(CARD), WorkerFailed("devices", f"It failed: {reason}.", kind="LibraryMissing"))
    assert (gap.cause, gap.sentence) == (GapCause.ENGINE_FAILED, f"It failed: {reason}.")
    assert word in gap.advice
    assert gap.command is not None and gap.command.startswith("python -m pip install --force-reinstall")


def test_without_a_gpu_nothing_falls_back() -> None:
    assert gpu_fallback(machine(), WorkerTimedOut("devices", 30)) is None
    assert gpu_fallback(machine(), engine()) is None


def test_one_gpu_in_use_is_no_fallback_although_another_is_not() -> None:
    lost = replace(CARD, address="0000:02:00.0", fault=GpuFault.LOST)
    sees_one = engine(seen("CUDA0", "CUDA", CARD.name, CARD.address))
    assert [gap.cause for gap in gaps_of(machine(CARD, lost), sees_one)] == [GapCause.GPU_LOST]
    assert gpu_fallback(machine(CARD, lost), sees_one) is None


def test_a_device_is_matched_by_address_before_anything_else() -> None:
    two = engine(seen("CUDA0", "CUDA", CARD.name, "0000:02:00.0"), seen("CUDA1", "CUDA", CARD.name, CARD.address))
    device = device_of(CARD, two)
    assert device is not None
    assert device.name == "CUDA1"
    assert device_of(replace(CARD, address="0000:09:00.0"), two) is None


def test_a_shared_backends_device_is_matched_by_its_makers_word() -> None:
    vulkan = engine(seen("Vulkan0", "Vulkan", "AMD Radeon RX 7900 XTX (RADV NAVI31)"))
    assert device_of(CARD, vulkan) is None
    assert device_of(replace(CARD, vendor=Vendor.AMD), vulkan) is vulkan.devices[0]


def test_a_driver_of_the_same_cuda_generation_is_new_enough() -> None:
    card = replace(CARD, driver="530.30", platform="CUDA 12.1")
    (gap,) = gaps_of(machine(card), engine(backends=("CUDA",), cuda_runtime="12.6"))
    assert gap.cause is GapCause.DEVICE_MISSING
    (gap,) = gaps_of(machine(card), engine(backends=("CUDA",), cuda_runtime="13.0"))
    assert gap.cause is GapCause.DRIVER_TOO_OLD
    assert "CUDA Toolkit (12.x or older)" in gap.advice
