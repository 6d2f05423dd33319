"""What differs between platforms."""

import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from quern.models import system


def test_an_interrupted_read_returns_at_once() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        system.interrupt_socket(ours)
        assert ours.recv(1) == b""
    system.interrupt_socket(ours)


def test_a_folder_is_synced_except_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(system.os, "fsync", synced.append)
    system.sync_folder(tmp_path)
    assert len(synced) == 1
    monkeypatch.setattr(system, "os", SimpleNamespace(name="nt"))
    system.sync_folder(tmp_path)
    assert len(synced) == 1
