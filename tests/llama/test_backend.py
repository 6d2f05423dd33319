"""The library says what it is."""

import ctypes

from quern.llama import Backend, DeviceKind
from quern.llama.backend import DeviceProps


def test_the_cpu_is_a_device_with_memory() -> None:
    cpus = [device for device in Backend.start().devices() if device.kind is DeviceKind.CPU]
    assert len(cpus) == 1
    assert (cpus[0].name, cpus[0].backend, cpus[0].address) == ("CPU", "CPU", None)
    assert cpus[0].description
    assert cpus[0].total_bytes >= cpus[0].free_bytes > 0


def test_the_backends_are_named_and_each_device_has_one() -> None:
    backend = Backend.start()
    assert "CPU" in backend.backends()
    assert {device.backend for device in backend.devices()} <= set(backend.backends())


def test_the_system_line_names_the_backends() -> None:
    assert "CPU" in Backend.start().system_info


def test_there_is_one_backend_a_process() -> None:
    assert Backend.start() is Backend.start()


def test_the_properties_lie_where_ggml_writes_them() -> None:
    """ggml-backend.h, struct ggml_backend_dev_props, on a 64-bit system; the flags at its end are not read."""
    offsets = [getattr(DeviceProps, name).offset for name, *_ in DeviceProps._fields_]
    assert offsets == [0, 8, 16, 24, 32, 40, 48]
    assert ctypes.sizeof(DeviceProps) >= 48 + 8
