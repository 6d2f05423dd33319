"""What differs between platforms in the fit room: how a file becomes sparse."""

import sys
from collections.abc import Callable
from typing import BinaryIO

_FSCTL_SET_SPARSE = 0x900C4  # winioctl.h


def _tell_windows(descriptor: int) -> None:
    if sys.platform == "win32":
        import ctypes
        import msvcrt

        handle = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
        code, returned = ctypes.c_ulong(_FSCTL_SET_SPARSE), ctypes.c_ulong()
        ctypes.windll.kernel32.DeviceIoControl(handle, code, None, 0, None, 0, ctypes.byref(returned), None)


def make_sparse(
    file: BinaryIO, platform: str = sys.platform, tell_windows: Callable[[int], None] = _tell_windows
) -> None:
    """Let an empty file become long without taking room on disk; only Windows has to be told."""
    if platform == "win32":
        tell_windows(file.fileno())
