"""The engine describes itself from a child."""

from quern.base import ChildLimits, ask_worker
from quern.engine import engine_build, engine_version


def test_says_version_build_features_and_devices() -> None:
    answer = ask_worker("engine_info", None, ChildLimits(60))
    assert isinstance(answer, dict)
    assert (answer["version"], answer["build"]) == (engine_version(), engine_build())
    assert "CPU" in str(answer["system_info"])
    devices = answer["devices"]
    assert isinstance(devices, list)
    assert [device["kind"] for device in devices if isinstance(device, dict)] == ["cpu"]
