"""What was found holds until the machine slept, was started anew, or got another driver or card."""

from collections.abc import Callable
from pathlib import Path

import pytest

from quern.hardware import Memory, machine_stamp
from quern.hardware.host.linux import LinuxSystem
from quern.hardware.host.mac import MacSystem
from quern.hardware.host.windows import WindowsCalls, WindowsSystem

from .recorded.tree import LinuxTree, never
from .recorded.windows_and_mac import RTX_4060, FakeRegistry


@pytest.fixture
def tree(tmp_path: Path) -> LinuxTree:
    tree = LinuxTree(tmp_path).nvidia_driver("560.35.03", 12060)
    return tree.write("proc/sys/kernel/random/boot_id", "9a1e").write("dev/dri/renderD128").write("dev/dri/renderD129")


MEMORY = Memory(total_bytes=1, available_bytes=1)


def windows_calls(slept_s: Callable[[], float]) -> WindowsCalls:
    return WindowsCalls(
        has_feature=lambda _: False,
        core_buffer=lambda: b"",
        n_cpus=lambda: 1,
        memory=lambda: MEMORY,
        slept_s=slept_s,
    )


CHANGES: dict[str, Callable[[LinuxTree], object]] = {
    "a new start": lambda tree: tree.write("proc/sys/kernel/random/boot_id", "77c0"),
    "another driver": lambda tree: tree.nvidia_driver("570.10", 12080),
    "a card that was plugged in": lambda tree: tree.gpu("0000:05:00.0", "1002:744c:c8"),
    "a device file that is gone": lambda tree: (tree.root / "dev/dri/renderD129").unlink(),
    "a sleep": lambda tree: tree.write("sys/power/suspend_stats/success", "1"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_a_linux_machine_is_seen(tree: LinuxTree, change: Callable[[LinuxTree], object]) -> None:
    before = machine_stamp(tree.system())
    assert machine_stamp(tree.system()) == before
    change(tree)
    assert machine_stamp(tree.system()) != before


def test_memory_that_comes_and_goes_is_no_change(tree: LinuxTree) -> None:
    before = machine_stamp(tree.system())
    tree.computer(64 << 20, 1 << 20)
    assert machine_stamp(tree.system()) == before


def test_sleep_is_seen_by_the_clocks_on_every_system(tmp_path: Path) -> None:
    slept = [0.2]

    def slept_s() -> float:
        return slept[0]

    calls = windows_calls(slept_s)
    systems = (
        LinuxSystem(tmp_path, lambda: 1, slept_s=slept_s),
        MacSystem(lambda _: None, lambda: MEMORY, lambda: None, slept_s),
        WindowsSystem(FakeRegistry({}), calls, never),
    )
    before = [machine_stamp(system) for system in systems]
    slept[0] = 0.2000003
    assert [machine_stamp(system) for system in systems] == before
    slept[0] = 90.0
    assert all(new != old for new, old in zip(map(machine_stamp, systems), before, strict=True))


def test_another_driver_is_seen_on_windows_and_macos() -> None:
    calls = windows_calls(lambda: 0.0)
    newer = {key: {**values, "DriverVersion": "32.0.15.7000"} for key, values in RTX_4060.items()}
    stamps = {machine_stamp(WindowsSystem(FakeRegistry(entries), calls, never)) for entries in (RTX_4060, newer)}
    versions = ({"kern.osversion": "24A335"}, {"kern.osversion": "24B83"})
    stamps |= {machine_stamp(MacSystem(v.get, lambda: MEMORY, lambda: None, lambda: 0.0)) for v in versions}
    assert len(stamps) == 4


def test_this_machine_stays_the_same_while_nothing_happens() -> None:
    assert machine_stamp() == machine_stamp()
