"""Lines of code: shown exactly as written, under a label that names the language."""

from dataclasses import replace

from .display import displayed
from .element import Gap, Line, LineRole, Run


def code_lines(code: str, *, block: int = -1, joins: bool = False) -> list[Line]:
    """The lines of one slice of a code block, without a label."""
    return [
        Line(
            (Run(displayed(text.removesuffix("\r"))),),
            LineRole.CODE,
            gap=Gap.NONE,
            block=block,
            joins=joins and not row,
        )
        for row, text in enumerate(code.removesuffix("\n").split("\n"))
    ]


def code_label(language: str, block: int = -1) -> Line:
    """The line above a code block (empty where no language is named; the copy button stands beside it)."""
    return Line((Run(displayed(language), href=""),), LineRole.CODE_LABEL, block=block)


def closed(lines: list[Line]) -> tuple[Line, ...]:
    """`lines` with the last one marked as the end of its block, which keeps a distance to what follows."""
    return (*lines[:-1], replace(lines[-1], ends_block=True)) if lines else ()
