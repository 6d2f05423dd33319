"""Reasons in words, on every platform."""

import errno
import os
import stat

import pytest

from quern.gguf.file.system import kind_of, reason_of


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "there is no such file"),
        (PermissionError(errno.EACCES, "Permission denied"), "you have no permission to open it"),
        (OSError(errno.EIO, "Input/output error"), "the disk reports an error"),
        (OSError(errno.ELOOP, "Too many levels of symbolic links"), "its links lead in a circle"),
        (OSError(errno.EFBIG, "File too large."), "file too large"),
        (OSError("odd"), "the system gives no reason"),
        (ValueError("embedded null byte"), "its name holds a character that no file name may hold"),
    ],
)
def test_every_failure_has_a_reason(error: OSError | ValueError, reason: str) -> None:
    assert reason_of(error) == reason


def test_a_windows_sharing_violation_is_no_permission_problem() -> None:
    error = PermissionError(errno.EACCES, "The process cannot access the file")
    error.winerror = 32  # as Windows sets it
    assert reason_of(error) == "another program is using it"


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        (stat.S_IFREG, None),
        (stat.S_IFDIR, "a folder"),
        (stat.S_IFIFO, "a device or a pipe"),
        (stat.S_IFCHR, "a device or a pipe"),
        (stat.S_IFSOCK, "a device or a pipe"),
    ],
)
def test_only_regular_files_are_opened(mode: int, kind: str | None) -> None:
    assert kind_of(os.stat_result([mode, 0, 0, 0, 0, 0, 0, 0, 0, 0])) == kind
