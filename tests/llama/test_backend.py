"""The library says what it is."""

from quern.llama import Backend, DeviceKind


def test_the_cpu_is_a_device_with_memory() -> None:
    cpus = [device for device in Backend.start().devices() if device.kind is DeviceKind.CPU]
    assert len(cpus) == 1
    assert cpus[0].name == "CPU"
    assert cpus[0].total_bytes >= cpus[0].free_bytes > 0


def test_the_system_line_names_the_backends() -> None:
    assert "CPU" in Backend.start().system_info


def test_there_is_one_backend_a_process() -> None:
    assert Backend.start() is Backend.start()
