"""Text from files and models made safe to show: a terminal obeys control characters, so none gets through."""

_KEPT = {"\n", "\t"}


def printable(text: str) -> str:
    """Return `text` with control characters (but line feed and tab) and lone surrogates replaced by U+FFFD."""
    if text.isprintable():
        return text
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_unsafe(character) else character for character in text)


def one_line(text: str) -> str:
    """Return `text` printable and on one line."""
    return printable(" ".join(text.split()))


def _is_unsafe(character: str) -> bool:
    code = ord(character)
    return (code < 0x20 and character not in _KEPT) or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000
