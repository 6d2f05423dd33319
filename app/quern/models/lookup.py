"""Finds a model by what a person typed."""

import os
from collections.abc import Sequence
from difflib import get_close_matches

from .entry import ModelEntry
from .errors import ModelAmbiguous, ModelNotFound

_MOST_SUGGESTIONS = 3


def looks_like_path(text: str) -> bool:
    """Return whether `text` is meant as a file: it has a folder in it or ends in .gguf."""
    if "\0" in text:
        return False
    return text.lower().endswith(".gguf") or os.sep in text or (os.altsep is not None and os.altsep in text)


def find_by_name(entries: Sequence[ModelEntry], text: str) -> ModelEntry:
    """Return the entry called `text`: exactly, or in other case, or the only one whose name begins so.

    Raises ModelNotFound or ModelAmbiguous.
    """
    for entry in entries:
        if entry.name == text:
            return entry
    wanted = text.strip().casefold()
    names = {entry.name.casefold(): entry for entry in entries}
    if wanted in names:
        return names[wanted]
    matches = [entry for name, entry in names.items() if wanted and name.startswith(wanted)]
    if len(matches) > 1:
        raise ModelAmbiguous(text, tuple(entry.name for entry in matches))
    if matches:
        return matches[0]
    raise ModelNotFound(text, _suggestions(names, wanted))


def _suggestions(names: dict[str, ModelEntry], wanted: str) -> tuple[str, ...]:
    inside = [name for name in names if wanted and wanted in name]
    close = get_close_matches(wanted, list(names), n=_MOST_SUGGESTIONS, cutoff=0.5)
    ordered = dict.fromkeys([*inside, *close])
    return tuple(names[name].name for name in list(ordered)[:_MOST_SUGGESTIONS])
