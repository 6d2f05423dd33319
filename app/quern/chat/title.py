"""A conversation's title, made from its first message."""

MAX_TITLE_CHARS = 48


def title_of(text: str) -> str:
    """Return the first words of `text` as one line of about 48 characters, cut between words where that is possible."""
    words = " ".join(text[: MAX_TITLE_CHARS * 20].split())
    if len(words) <= MAX_TITLE_CHARS:
        return words
    head = words[:MAX_TITLE_CHARS]
    whole, _, _ = head.rpartition(" ")
    return f"{whole or head[:-1]}…"
