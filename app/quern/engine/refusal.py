"""llama.cpp's own words for why it refused a file, sorted into the engine's causes."""

import re
from pathlib import Path

from quern.base import QuernError

from .errors import ContextNotCreatable, ModelNotLoadable, UnknownArchitecture, VocabularyUnusable

_ARCHITECTURE = re.compile(r"unknown model architecture: '([^']*)'")
_VOCABULARY = re.compile(r"vocab|tokenizer|token_to_id|id_to_token", re.IGNORECASE)
_ASSERTION = re.compile(r"[\w./\\-]*[/\\]?([\w-]+\.(?:cpp|c|h)):\d+: (.+)")


def error_from_refusal(path: Path, reason: str) -> QuernError:
    """Return the cause that `reason`, llama.cpp's last error line, stands for."""
    if found := _ARCHITECTURE.search(reason):
        return UnknownArchitecture(path, found.group(1))
    if _VOCABULARY.search(reason):
        return VocabularyUnusable(path, reason)
    return ModelNotLoadable(path, reason)


def error_from_last_words(path: Path, last_words: str) -> QuernError | None:
    """Return the cause that the last words of a process that llama.cpp aborted stand for; None where they name none.

    ggml_abort writes "file.cpp:line: GGML_ASSERT(condition) failed"; C++'s terminate writes "what():  reason".
    """
    for line in reversed(last_words.splitlines()):
        if found := _ASSERTION.search(line):
            return error_from_refusal(path, f"llama.cpp's check failed: {found.group(2).strip().rstrip('.')}")
        if "bad_alloc" in line:
            return ContextNotCreatable("memory ran out")
        if "what():" in line:
            return error_from_refusal(path, line.partition("what():")[2].strip())
    return None
