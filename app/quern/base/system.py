"""What differs between Linux, macOS and Windows on the ground floor: file locks, started children, how they ended."""

import os
import signal
import sys
import time
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import Popen

IS_WINDOWS = sys.platform == "win32"
PARENT_PID = "QUERN_PARENT_PID"
MEMORY_LIMIT = "QUERN_MEMORY_LIMIT_BYTES"

# NTSTATUS values as unsigned exit codes (ntstatus.h).
_NT_CRASHES = {
    0xC0000005: "STATUS_ACCESS_VIOLATION",
    0xC0000006: "STATUS_IN_PAGE_ERROR",
    0xC000001D: "STATUS_ILLEGAL_INSTRUCTION",
    0xC0000094: "STATUS_INTEGER_DIVIDE_BY_ZERO",
    0xC00000FD: "STATUS_STACK_OVERFLOW",
    0xC0000374: "STATUS_HEAP_CORRUPTION",
}
# abort() ends a Windows process with a fail-fast exception, or with exit code 3 in older C runtimes.
_NT_ABORTS = {0xC0000409, 3}
_LOCKED_BYTE = 1 << 20
_PARENT_POLL_S = 0.5


class ExitKind(Enum):
    """How a process ended: well, with an error code, by its own abort(), or killed by a fault or the system."""

    CLEAN = auto()
    ERROR = auto()
    ABORT = auto()
    CRASH = auto()


def exit_kind(return_code: int, *, windows: bool = IS_WINDOWS) -> ExitKind:
    """Tell how a process with this `subprocess` return code ended."""
    if return_code == 0:
        return ExitKind.CLEAN
    if windows:
        code = return_code & 0xFFFFFFFF
        if code in _NT_ABORTS:
            return ExitKind.ABORT
        return ExitKind.CRASH if code >= 0xC0000000 else ExitKind.ERROR
    if return_code > 0:
        return ExitKind.ERROR
    return ExitKind.ABORT if return_code == -signal.SIGABRT else ExitKind.CRASH


def signal_name(return_code: int, *, windows: bool = IS_WINDOWS) -> str:
    """Return what ended the process, as the system writes it: "SIGSEGV", "STATUS_ACCESS_VIOLATION"."""
    if windows:
        code = return_code & 0xFFFFFFFF
        return _NT_CRASHES.get(code, f"0x{code:08X}")
    try:
        return signal.Signals(-return_code).name
    except ValueError:
        return f"signal {-return_code}"


def lock_file(descriptor: int) -> bool:
    """Lock the open file for this process, or tell that another has it. The lock ends with the process.

    Raises OSError where the file system knows no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        return lock_region(descriptor, msvcrt.locking)
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_region(descriptor: int, locking: Callable[[int, int, int], None]) -> bool:
    """Do the work of `lock_file` with Windows' `msvcrt.locking`, at a byte far behind the file's text.

    Windows lets nobody read a locked region, and the text must stay readable.
    """
    lk_nblck = 2  # sys/locking.h
    os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
    try:
        locking(descriptor, lk_nblck, 1)
    except PermissionError:
        return False
    return True


def creation_flags(*, windows: bool = IS_WINDOWS) -> int:
    """Return the `subprocess.Popen` flags of a background child: no window, no Ctrl-C from the parent's console.

    POSIX needs none; there `start_new_session=True` keeps the terminal's signals away.
    """
    no_window, new_group = 0x08000000, 0x00000200  # CREATE_NO_WINDOW, CREATE_NEW_PROCESS_GROUP (winbase.h)
    return no_window | new_group if windows else 0


def kill_tree(process: "Popen[bytes]") -> None:
    """Kill a child that leads a session of its own, and on POSIX whatever it started itself."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def confine_worker() -> None:
    """Make this process a worker: no core dumps or crash dialogs, bounded memory, and an end with its parent.

    Called first thing in the worker, before anything native is imported; the parent's wishes are in the environment.
    Memory is bounded where the system can bound address space, which Windows cannot.
    """
    parent_pid = int(os.environ.get(PARENT_PID, "0"))
    if sys.platform == "win32":
        import msvcrt

        msvcrt.SetErrorMode(msvcrt.SEM_FAILCRITICALERRORS | msvcrt.SEM_NOGPFAULTERRORBOX)
        if parent_pid:
            _end_with(partial(_wait_for_process, parent_pid))
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_bytes := int(os.environ.get(MEMORY_LIMIT, "0")):
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    if not parent_pid:
        return
    if sys.platform == "linux":
        _die_with_starter()
    else:
        _end_with(partial(wait_for_other_parent, parent_pid))
    if os.getppid() != parent_pid:  # it ended before the watch began
        os._exit(1)


def wait_for_other_parent(
    parent_pid: int, *, getppid: Callable[[], int] = os.getppid, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Return when this process's parent is no longer `parent_pid`; works on every POSIX system."""
    while getppid() == parent_pid:
        sleep(_PARENT_POLL_S)


def _end_with(wait_for_end: Callable[[], None]) -> None:
    def watch() -> None:
        wait_for_end()
        os._exit(1)

    Thread(target=watch, daemon=True, name="quern-parent-watch").start()


def _die_with_starter() -> None:
    """Have Linux kill this process when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG)."""
    import ctypes

    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0)


def _wait_for_process(process_id: int) -> None:
    if sys.platform == "win32":
        import _winapi

        handle = _winapi.OpenProcess(_winapi.SYNCHRONIZE, False, process_id)
        _winapi.WaitForSingleObject(handle, _winapi.INFINITE)
