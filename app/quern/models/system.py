"""What sockets and folders need from each platform."""

import os
import socket
from contextlib import suppress
from pathlib import Path


def interrupt_socket(connection: socket.socket) -> None:
    """Make a blocked read of `connection` in another thread return at once; a closed one is left alone."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def sync_folder(folder: Path) -> None:
    """Make a rename inside `folder` survive a power cut; Windows does so by itself and cannot open a folder."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
