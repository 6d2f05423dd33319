"""Text that is Unicode throughout, as SQLite and tokenizers want it."""


def whole_text(text: str) -> str:
    """Return `text` with paired surrogates joined to the character they stand for and lone ones as U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
