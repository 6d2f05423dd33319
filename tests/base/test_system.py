"""How a process ended is told on every system, and children are started without window or Ctrl-C."""

import signal

import pytest

from quern.base.system import ExitKind, creation_flags, exit_kind, signal_name, wait_for_other_parent


@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        (-signal.SIGSEGV, ExitKind.CRASH, "SIGSEGV"),
        (-signal.SIGKILL, ExitKind.CRASH, "SIGKILL"),
        (-signal.SIGABRT, ExitKind.ABORT, "SIGABRT"),
        (-64, ExitKind.CRASH, "SIGRTMAX"),
        (-99, ExitKind.CRASH, "signal 99"),
    ],
)
def test_signals_on_posix(code: int, kind: ExitKind, name: str):
    assert exit_kind(code, windows=False) is kind
    assert signal_name(code, windows=False) == name


@pytest.mark.parametrize(
    ("code", "kind", "name"),
    [
        (0xC0000005, ExitKind.CRASH, "STATUS_ACCESS_VIOLATION"),
        (0xC0000005 - (1 << 32), ExitKind.CRASH, "STATUS_ACCESS_VIOLATION"),
        (0xC000001D, ExitKind.CRASH, "STATUS_ILLEGAL_INSTRUCTION"),
        (0xC0000409, ExitKind.ABORT, "0xC0000409"),
        (3, ExitKind.ABORT, "0x00000003"),
        (0xC0000142, ExitKind.CRASH, "0xC0000142"),
    ],
)
def test_status_codes_on_windows(code: int, kind: ExitKind, name: str):
    assert exit_kind(code, windows=True) is kind
    assert signal_name(code, windows=True) == name


@pytest.mark.parametrize("windows", [True, False])
def test_good_and_bad_ends_anywhere(windows: bool):
    assert exit_kind(0, windows=windows) is ExitKind.CLEAN
    assert exit_kind(1, windows=windows) is ExitKind.ERROR


def test_a_child_on_windows_has_no_window_and_hears_no_ctrl_c():
    assert creation_flags(windows=True) == 0x08000000 | 0x00000200
    assert creation_flags(windows=False) == 0


def test_a_worker_sees_its_parent_go_where_the_kernel_does_not_tell():
    parents, slept = iter([7, 7, 1]), list[float]()
    wait_for_other_parent(7, getppid=lambda: next(parents), sleep=slept.append)
    assert len(slept) == 2
