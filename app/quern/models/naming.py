"""What models are called: names that a person can read and type, each once in the library."""

import re
from pathlib import Path

from quern.gguf import ModelFacts, ShardName

# The quantization at the end of a file name, as converters write it: "-Q4_K_M", ".IQ3_XXS", "-UD-Q4_K_XL", "_f16".
_QUANTIZATION = re.compile(
    r"[-._ ](?P<name>(UD[-_])?(I?Q\d\w*|TQ\d_\d|B?F16|F32|[MNX]+FP4\w*))$", re.IGNORECASE | re.ASCII
)


def name_of(path: Path, facts: ModelFacts | None) -> str:
    """Return what to call the model at `path`: its file's name and its quantization ("SmolLM2-135M-Instruct Q4_1")."""
    shard = ShardName.parse(path.name)
    stem = path.stem if shard is None else shard.prefix
    match = _QUANTIZATION.search(stem)
    if match is not None and match.start():
        return f"{stem[: match.start()]} {match['name'].upper()}"
    if facts is None or not facts.quantization or facts.quantization.lower() in stem.lower():
        return stem
    return f"{stem} {facts.quantization}"


class TakenNames:
    """Owns the names given so far; two that differ only in case are the same name."""

    def __init__(self) -> None:
        self._folded: set[str] = set()

    def claim(self, name: str, path: Path) -> str:
        """Take `name`, made different from all taken ones by its folder or a number, and return it."""
        candidate, number = name, 1
        while candidate.casefold() in self._folded:
            candidate = f"{name} ({path.parent.name})" if number == 1 else f"{name} ({number})"
            number += 1
        self._folded.add(candidate.casefold())
        return candidate
