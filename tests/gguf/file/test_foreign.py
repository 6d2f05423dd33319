"""Files that are something else are called by their name."""

import struct

import pytest

from quern.gguf import BytesSource, NotGguf, read_header
from quern.gguf.file.foreign import name_foreign

LFS_POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53\nsize 98362432\n"
)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "an empty file"),
        (b"GGU", "a file of only 3 bytes"),
        (b"<!DOCTYPE html>" + b" " * 5000, "a web page"),
        (b"\xef\xbb\xbf\n  <html><body>Sign in</body></html>", "a web page"),
        (LFS_POINTER, "a Git LFS pointer (the place of a download, not the model)"),
        (b"PK\x03\x04....", "a ZIP archive (or a PyTorch model)"),
        (struct.pack("<Q", 90) + b'{"__metadata__":{}}', "a safetensors model (it needs conversion to GGUF)"),
        (b"tjgg\x03\0\0\0", "a model in the old GGJT format"),
        (b"\0" * 4096, "a file of zeros"),
        (b'{"error": "not found"}', "a JSON document"),
        (b"<?xml version='1.0'?><Error/>", "an XML document"),
        (b"Invalid username or password.", "a text file"),
        (bytes(range(1, 200)), "something else"),
    ],
)
def test_GG_01_and_GG_03_a_file_that_is_no_gguf_is_named(data: bytes, found: str) -> None:
    with pytest.raises(NotGguf) as caught:
        read_header(BytesSource(data))
    assert caught.value.found == found
    assert f"it is {found}" in caught.value.what


def test_every_first_byte_gets_some_name() -> None:
    for first in range(256):
        assert name_foreign(bytes([first]) * 600, 600)
