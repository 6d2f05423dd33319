"""Names what a file is that is no GGUF, from its first bytes."""

HEAD_BYTES = 512  # enough to name any of them

_PREFIXES: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer (the place of a download, not the model)"),
    (b"PK\x03\x04", "a ZIP archive (or a PyTorch model)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"Rar!", "a RAR archive"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x80\x02", "a Python pickle (or a PyTorch model)"),
    (b"lmgg", "a model in the old GGML format"),
    (b"fmgg", "a model in the old GGMF format"),
    (b"tjgg", "a model in the old GGJT format"),
    (b"algg", "an adapter in the old GGLA format"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3", "a database"),
)


def name_foreign(head: bytes, size_bytes: int) -> str:
    """Return what a file of `size_bytes` that begins with `head` is, with its article ("a web page")."""
    if size_bytes == 0:
        return "an empty file"
    for prefix, name in _PREFIXES:
        if head.startswith(prefix):
            return name
    if head[8:10] == b'{"' and int.from_bytes(head[:8], "little") < 2**30:
        return "a safetensors model (it needs conversion to GGUF)"
    if not head.strip(b"\0"):
        return "a file of zeros"
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<script", b"<!--")):
        return "a web page"
    if size_bytes < 4:
        return f"a file of only {size_bytes} bytes"
    return _name_text(text)


def _name_text(text: bytes) -> str:
    if text.startswith((b"<?xml", b"<")):
        return "an XML document"
    if text.startswith((b"{", b"[")):
        return "a JSON document"
    is_text = all(byte >= 0x20 or byte in b"\t\r\n" for byte in text)
    return "a text file" if is_text else "something else"
