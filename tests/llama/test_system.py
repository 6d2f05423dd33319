"""Library names of every platform, and the C library's strlen."""

import ctypes
from pathlib import Path

import pytest

from quern.llama.cxx_map import LIBCXX, LIBSTDCXX
from quern.llama.system import library_file, make_threads_yield, map_layout, opened_library, strlen_address


@pytest.mark.parametrize(
    ("platform", "file_name"),
    [("linux", "libggml.so"), ("darwin", "libggml.dylib"), ("darwin", "libggml.so"), ("win32", "ggml.dll")],
)
def test_finds_the_platforms_library(tmp_path: Path, platform: str, file_name: str) -> None:
    (tmp_path / file_name).touch()
    assert library_file(tmp_path, "ggml", platform) == tmp_path / file_name


def test_says_so_when_there_is_no_library(tmp_path: Path) -> None:
    assert library_file(tmp_path, "ggml", "linux") is None


def test_strlen_answers_the_length_of_the_flag() -> None:
    strlen = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_char_p)(strlen_address())
    assert [strlen(b""), strlen(b"\x01")] == [0, 1]


def test_threads_yield_unless_the_person_has_said_how_they_wait() -> None:
    mine: dict[str, str] = {}
    make_threads_yield(mine)
    assert mine == {"GOMP_SPINCOUNT": "1000"}
    for asked in ({"GOMP_SPINCOUNT": "7"}, {"OMP_WAIT_POLICY": "active"}):
        theirs = dict(asked)
        make_threads_yield(theirs)
        assert theirs == asked


@pytest.mark.parametrize(
    ("name", "platform", "opened"),
    [
        ("ggml", "linux", "llama"),
        ("ggml-base", "darwin", "llama"),
        ("ggml-cpu", "win32", "ggml-cpu"),
        ("llama", "linux", "llama"),
        ("mtmd", "linux", "mtmd"),
    ],
)
def test_ggml_is_reached_through_llama_where_that_finds_it(name: str, platform: str, opened: str) -> None:
    assert opened_library(name, platform) == opened


def test_apples_library_lays_maps_out_in_its_own_way() -> None:
    assert (map_layout("darwin"), map_layout("linux")) == (LIBCXX, LIBSTDCXX)
