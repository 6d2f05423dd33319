"""The CUDA runtime that an engine brings is asked for its version."""

import ctypes
from dataclasses import dataclass
from typing import Any

import pytest

import quern.llama.cuda as cuda
from quern.llama import cuda_runtime_version
from quern.llama.cuda import runtime_version_among


@dataclass(frozen=True, slots=True)
class Runtime:
    """A CUDA runtime 12.4 whose answer ends with `status`."""

    status: int

    def cudaRuntimeGetVersion(self, version: Any) -> int:
        ctypes.cast(version, ctypes.POINTER(ctypes.c_int))[0] = 12040
        return self.status


def test_an_engine_without_cuda_brings_none() -> None:
    assert cuda_runtime_version() is None


def test_only_a_file_of_its_name_is_asked() -> None:
    assert runtime_version_among(["/usr/lib/libc.so.6", "/opt/cudart/libggml-cuda.so", ""]) is None


@pytest.mark.parametrize("path", ["/opt/lib/libcudart.so.12.4.127", r"C:\quern\lib\cudart64_12.dll"])
@pytest.mark.parametrize(("status", "version"), [(0, "12.4"), (1, None)])
def test_the_runtime_tells_its_version(
    monkeypatch: pytest.MonkeyPatch, path: str, status: int, version: str | None
) -> None:
    opened: list[str] = []

    def open_library(name: str) -> Runtime:
        opened.append(name)
        return Runtime(status)

    monkeypatch.setattr(cuda.ctypes, "CDLL", open_library)
    assert runtime_version_among(["/usr/lib/libc.so.6", path]) == version
    assert opened == [path]
