"""Reads one chunk of Markdown into lines and tables."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .code import closed, code_label, code_lines
from .element import Element, Face, Gap, Line, LineRole, Marker, Run, Side, Table
from .inline import runs_of
from .markdown import markdown

if TYPE_CHECKING:
    from markdown_it.token import Token

_TASK = re.compile(r"\[([ xX])\] ")
_SIDES = {"text-align:left": Side.LEFT, "text-align:center": Side.CENTER, "text-align:right": Side.RIGHT}


def read_prose(source: str) -> tuple[Element, ...]:
    """The elements of `source`, which is Markdown of a bounded size."""
    return _Reading(source).elements()


@dataclass(slots=True)
class _List:
    marker: Marker
    number: int = 0


@dataclass(slots=True)
class _Reading:
    """One pass over the block tokens; `lists` and `quotes` are what encloses the current one."""

    source: str
    done: list[Element] = field(default_factory=list[Element])
    lists: list[_List] = field(default_factory=list[_List])
    quotes: int = 0
    item_is_new: bool = False

    def elements(self) -> tuple[Element, ...]:
        tokens = markdown().parse(self.source)
        at = 0
        while at < len(tokens):
            at = self._take(tokens, at)
        return tuple(self.done)

    def _take(self, tokens: Sequence["Token"], at: int) -> int:
        """Read the token at `at`; return where to go on."""
        token = tokens[at]
        match token.type:
            case "heading_open":
                self._add(Line(self._inline(tokens[at + 1]), LineRole.HEADING, level=int(token.tag[1:])))
                return at + 3
            case "paragraph_open":
                self._add_paragraph(token, tokens[at + 1])
                return at + 3
            case "table_open":
                return self._take_table(tokens, at)
            case "fence" | "code_block":
                self._add_code(token)
            case "hr":
                self._add(Line((), LineRole.RULE))
            case _:
                self._take_container(token)
        return at + 1

    def _take_container(self, token: "Token") -> None:
        """Enter or leave a list, a list item or a quote."""
        match token.type:
            case "bullet_list_open":
                self.lists.append(_List(Marker.DISC))
            case "ordered_list_open":
                self.lists.append(_List(Marker.NUMBER, int(token.attrs.get("start", 1)) - 1))
            case "bullet_list_close" | "ordered_list_close":
                self.lists.pop()
            case "list_item_open":
                self.lists[-1].number += 1
                self.item_is_new = True
            case "list_item_close":
                self._close_item()
            case "blockquote_open" | "blockquote_close":
                self.quotes += token.nesting
            case _:
                pass

    def _add(self, line: Line) -> None:
        """Append `line` inside the lists and quotes that are open."""
        marker, number = Marker.NONE, 0
        if self.item_is_new and self.lists:
            marker, self.item_is_new = self.lists[-1].marker, False
            number = self.lists[-1].number if marker is Marker.NUMBER else 0
        if line.marker is Marker.NONE:
            line = replace(line, marker=marker, number=number)
        gap = Gap.ITEM if self.lists and self.done and line.gap is Gap.PARAGRAPH else line.gap
        self.done.append(replace(line, indent=len(self.lists), quotes=self.quotes, gap=gap))

    def _close_item(self) -> None:
        if self.item_is_new:
            self._add(Line(()))
        self.item_is_new = False

    def _add_paragraph(self, paragraph: "Token", inline: "Token") -> None:
        runs = self._inline(inline)
        task = _TASK.match(runs[0].text) if self.item_is_new and runs else None
        if task is not None:
            marker = Marker.UNCHECKED if task[1] == " " else Marker.CHECKED
            runs = (Run(runs[0].text[task.end() :], runs[0].face, runs[0].href), *runs[1:])
            self._add(Line(runs, marker=marker))
            self.item_is_new = False
        else:
            self._add(Line(runs, gap=Gap.ITEM if paragraph.hidden else Gap.PARAGRAPH))

    def _add_code(self, token: "Token") -> None:
        """Code inside a list, or indented code; its text is markdown-it's, which takes the indentation off."""
        language = token.info.split()[0] if token.info.strip() else ""
        for line in (code_label(language), *closed(code_lines(token.content))):
            self._add(line)

    @staticmethod
    def _inline(token: "Token") -> tuple[Run, ...]:
        return runs_of(token.children or [])

    def _take_table(self, tokens: Sequence["Token"], at: int) -> int:
        sides: list[Side] = []
        rows: list[list[tuple[Run, ...]]] = []
        while tokens[at].type != "table_close":
            token = tokens[at]
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                if token.type == "th_open":
                    sides.append(_SIDES.get(str(token.attrs.get("style", "")), Side.NATURAL))
                runs = self._inline(tokens[at + 1])
                rows[-1].append(
                    tuple(replace(run, face=run.face | Face.BOLD) for run in runs) if len(rows) == 1 else runs
                )
            at += 1
        padded = tuple(tuple((row + [()] * len(sides))[: len(sides)]) for row in rows)
        self.done.append(Table(tuple(sides), padded))
        return at + 1
