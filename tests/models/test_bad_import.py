"""The acceptance cases of bad files, through the library: refused at import, not listed, a problem where they lie."""

import struct
from pathlib import Path

import pytest
from tests.gguf.forge import Counts, Tensor, TinyModel, forge, forge_llama_model, packed_string

from quern.base import Home
from quern.gguf import BadModelFile
from quern.models import Library

LLAMA: dict[str, object] = {"general.architecture": "llama"}
ONE_ENTRY = forge({}, counts=Counts(n_metadata=1))[:24]
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 98362432\n"


def with_tensor(*dimensions: int, type_number: int = 0) -> bytes:
    return forge(LLAMA, [Tensor("t", dimensions, b"", type_number)])


def claiming(*claims: int) -> bytes:
    layout = "<IIQ" if len(claims) == 3 else "<IQ"
    return ONE_ENTRY + packed_string("k") + struct.pack(layout, *claims)


FILES: dict[str, tuple[bytes, str]] = {
    "GG-01 web page": (b"<!DOCTYPE html>" + b" " * 5000, "it is a web page"),
    "GG-03 empty": (b"", "it is an empty file"),
    "GG-03 three bytes": (b"GGU", "a file of only 3 bytes"),
    "GG-03 LFS pointer": (LFS_POINTER, "a Git LFS pointer"),
    "GG-04 version 0": (forge(LLAMA, counts=Counts(version=0)), "version or byte order: version 0"),
    "GG-04 version 1": (forge(LLAMA, counts=Counts(version=1)), "version or byte order: version 1"),
    "GG-04 version 4": (forge(LLAMA, counts=Counts(version=4)), "version or byte order: version 4"),
    "GG-04 big-endian": (forge(LLAMA, counts=Counts(byte_order=">")), "version or byte order: big-endian"),
    "GG-05 2^62 entries": (forge({}, counts=Counts(n_metadata=2**62)), f"claims {2**62:,} metadata entries"),
    "GG-05 2^63 tensors": (forge({}, counts=Counts(n_tensors=2**63)), f"claims {2**63:,} tensors"),
    "GG-05 key of 2^64-1": (ONE_ENTRY + b"\xff" * 8, "a key of its metadata is 18,446,744,073,709,551,615 bytes"),
    "GG-05 text of 1 GiB": (claiming(8, 2**30), "is incomplete"),
    "GG-05 array of 2^33": (claiming(9, 0, 2**33), "is incomplete"),
    "GG-20 dims 4 x 0": (with_tensor(4, 0), "the impossible shape 4 x 0"),
    "GG-20 99 dims": (with_tensor(*[1] * 99), "99 dimensions"),
    "GG-20 negative": (with_tensor(2**64 - 1), "the impossible shape"),
    "GG-20 overflow": (with_tensor(*[2**32] * 4), "the impossible shape"),
    "GG-20 type 9999": (with_tensor(32, type_number=9999), "the type 9999"),
    "GG-20 removed type": (with_tensor(32, type_number=4), "the type Q4_2"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_refused_at_import_and_a_problem_in_the_folder(
    home: Home, library: Library, tmp_path: Path, name: str
) -> None:
    data, reason = FILES[name]
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    refuse(library, path, reason)
    assert library.scan() == ()
    (home.models / "model.gguf").write_bytes(data)
    (entry,) = library.scan()
    assert not entry.is_usable
    assert reason in str(entry.problem)


def test_GG_02_a_cut_model_is_never_shown_as_ready(home: Home, library: Library, tmp_path: Path) -> None:
    whole = forge_llama_model(tmp_path / "whole.gguf").read_bytes()
    for cut in (len(whole) // 2, len(whole) - 1):
        path = home.models / "model.gguf"
        path.write_bytes(whole[:cut])
        refuse(library, path, f"it has {cut:,} of at least {len(whole):,} bytes")
        (entry,) = library.scan()
        assert not entry.is_usable


def test_GG_03_a_folder_is_named_as_such(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "x.gguf"
    folder.mkdir()
    refuse(library, folder, "it is a folder")


def test_GG_10_a_half_zeroed_model_is_not_listed_as_ready(home: Home, library: Library) -> None:
    path = forge_llama_model(home.models / "model.gguf")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + bytes(len(data) - len(data) // 2))
    refuse(library, path, "all zeros, as in a download that did not finish")
    (entry,) = library.scan()
    assert not entry.is_usable


def test_GG_14_a_garbled_description_costs_nothing_but_itself(home: Home, library: Library) -> None:
    model = TinyModel(chat_template="{{ messages }}", metadata={"general.description": b"\xff\xfe\xfd\xfc"})
    forge_llama_model(home.models / "model.gguf", model)
    (entry,) = library.scan()
    assert entry.require_facts().chat_templates == {"default": "{{ messages }}"}
    assert entry.require_facts().garbled_keys == ("general.description",)


def refuse(library: Library, path: Path, reason: str) -> None:
    with pytest.raises(BadModelFile) as caught:
        library.add(path)
    assert reason in caught.value.what
