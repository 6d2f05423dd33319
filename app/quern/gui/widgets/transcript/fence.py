"""Code fences, as CommonMark defines them (section 4.5)."""

import re
from dataclasses import dataclass

_OPENING = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>.*)$")


@dataclass(frozen=True, slots=True)
class Fence:
    """An open fence: what closes it, and the language it names."""

    character: str
    length: int
    language: str

    @staticmethod
    def opened_by(line: str) -> "Fence | None":
        """The fence that `line` opens, or None; a backtick fence has no backtick in its info string."""
        if "```" not in line and "~~~" not in line:
            return None
        found = _OPENING.match(line)
        if found is None:
            return None
        mark, info = found["mark"], found["info"].strip()
        if mark[0] == "`" and "`" in info:
            return None
        return Fence(mark[0], len(mark), info.split()[0][:40] if info else "")

    def is_closed_by(self, line: str) -> bool:
        """Whether `line` is this fence's closing line (any indentation: models indent the end of nested blocks)."""
        mark = line.strip()
        return len(mark) >= self.length and mark == self.character * len(mark)
