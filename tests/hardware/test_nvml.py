"""NVIDIA's interface is opened and closed, and each of its refusals becomes a fault of the card."""

import pytest
from pynvml import NVMLError

from quern.hardware import GpuFault
from quern.hardware.vendor.nvml import load_nvml, nvidia_gpus

from .recorded.fake_nvml import (
    DRIVER_NOT_LOADED,
    GIB,
    LIBRARY_NOT_FOUND,
    NO_PERMISSION,
    UNKNOWN,
    VERSION_MISMATCH,
    Card,
    FakeNvml,
    Memory,
    rtx_4070,
)

FAULTS = {
    NO_PERMISSION: GpuFault.NO_PERMISSION,
    DRIVER_NOT_LOADED: GpuFault.NO_DRIVER,
    LIBRARY_NOT_FOUND: GpuFault.NO_DRIVER,
    VERSION_MISMATCH: GpuFault.DRIVER_MISMATCH,
    UNKNOWN: GpuFault.DRIVER_FAILED,
}


@pytest.mark.parametrize(("code", "fault"), FAULTS.items())
def test_an_interface_that_does_not_open_is_a_fault(code: int, fault: GpuFault) -> None:
    answer = nvidia_gpus(FakeNvml([rtx_4070()], init_fails=code))
    assert (answer.gpus, answer.fault) == ((), fault)


def test_what_was_opened_is_closed() -> None:
    nvml = FakeNvml([rtx_4070()])
    assert len(nvidia_gpus(nvml).gpus) == 1
    assert not nvml.is_open


def test_it_is_closed_after_an_error_that_is_not_nvidias_too() -> None:
    nvml = FakeNvml([rtx_4070()])
    nvml.cards[0].capability = ()  # pyright: ignore[reportAttributeAccessIssue]  # an answer that no driver gives
    with pytest.raises(IndexError):
        nvidia_gpus(nvml)
    assert not nvml.is_open


def test_a_card_in_mig_mode_without_partitions_cannot_be_used() -> None:
    card = Card("NVIDIA A100-SXM4-40GB", "00000000:07:00.0", (8, 0), Memory(40 * GIB, 39 * GIB), mig=1)
    card.partitions = [None, None]
    (gpu,) = nvidia_gpus(FakeNvml([card])).gpus
    assert gpu.fault is GpuFault.NOT_PARTITIONED


def test_a_driver_that_tells_no_version_is_no_reason_to_fail() -> None:
    nvml = FakeNvml([rtx_4070()], driver="", cuda=0)
    (gpu,) = nvidia_gpus(nvml).gpus
    assert (gpu.driver, gpu.platform, gpu.target) == (None, None, "8.9")


def test_the_real_binding_has_every_function_that_the_fake_has() -> None:
    binding = load_nvml()
    names = [name for name in dir(FakeNvml) if name.startswith("nvml")]
    assert len(names) == 13
    assert all(callable(getattr(binding, name)) for name in names)


def test_the_real_binding_says_why_it_does_not_open() -> None:
    """There is no driver where tests run; where there is one, it answers."""
    try:
        load_nvml().nvmlInit()
    except NVMLError as error:
        assert error.value in (*FAULTS, 15)
    else:
        load_nvml().nvmlShutdown()
