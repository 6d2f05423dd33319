"""ggml's own functions, of the one ggml that llama.cpp uses."""

import sys
from pathlib import Path

import pytest
from tests.llama.tiny_hybrid import forge_hybrid

from quern.llama import Backend, LibraryMissing
from quern.llama.ggml import (
    buffer_type_name,
    cpu_buffer_type,
    device_of_buffer_type,
    gguf_free,
    gguf_from_file,
    is_host_memory,
    library,
)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists what is mapped")
def test_there_is_one_ggml_in_the_process() -> None:
    Backend.start().devices()
    for name in ("ggml", "ggml-base", "ggml-cpu", "llama"):
        library(name)
    lines = Path("/proc/self/maps").read_text().splitlines()
    loaded = {line.split()[-1].rpartition("/")[2] for line in lines if "r-xp" in line and "/libggml" in line}
    assert len(loaded) == len({name.partition(".so")[0] for name in loaded})


def test_the_machines_memory_is_no_devices() -> None:
    Backend.start()
    plain = cpu_buffer_type()
    assert buffer_type_name(plain) == "CPU"
    assert is_host_memory(plain)
    assert device_of_buffer_type(plain) is None


def test_a_missing_library_is_named() -> None:
    with pytest.raises(LibraryMissing) as missing:
        library("nonsense")
    assert "nonsense" in missing.value.reason


def test_metadata_are_read_or_not(tmp_path: Path) -> None:
    good, bad = forge_hybrid(tmp_path / "good.gguf"), tmp_path / "bad.gguf"
    bad.write_bytes(b"nothing")
    context = gguf_from_file(str(good).encode())
    assert context is not None
    gguf_free(context)
    assert gguf_from_file(str(bad).encode()) is None
