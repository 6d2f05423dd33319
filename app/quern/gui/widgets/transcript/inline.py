"""Turns markdown-it's inline tokens into runs: bare addresses become links, images become placeholders."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication

from .display import LINE_BREAK, displayed
from .element import Face, Run
from .formula import legible
from .markdown import MATH

if TYPE_CHECKING:
    from markdown_it.token import Token

_FACES = {"strong": Face.BOLD, "em": Face.ITALIC, "s": Face.STRUCK}
_ADDRESS = re.compile(r"https?://[^\s<>\"'`|]*[^\s<>\"'`|.,;:!?)\]}*_]", re.IGNORECASE)


def runs_of(tokens: Sequence["Token"]) -> tuple[Run, ...]:
    """The runs of one inline token's children, neighbours of the same look merged."""
    return merged(_walk(tokens))


def merged(runs: Iterator[Run]) -> tuple[Run, ...]:
    """`runs` without empty ones, and with neighbours of one look put together."""
    result: list[Run] = []
    for run in runs:
        if result and (result[-1].face, result[-1].href) == (run.face, run.href):
            result[-1] = Run(result[-1].text + run.text, run.face, run.href)
        elif run.text:
            result.append(run)
    return tuple(result)


def linked(text: str, face: Face = Face.PLAIN) -> Iterator[Run]:
    """`text` with every bare http(s) address as a link."""
    at = 0
    for found in _ADDRESS.finditer(text):
        yield Run(displayed(text[at : found.start()]), face)
        yield Run(displayed(found[0]), face, found[0])
        at = found.end()
    yield Run(displayed(text[at:]), face)


def _walk(tokens: Sequence["Token"]) -> Iterator[Run]:
    face, href = Face.PLAIN, ""
    for token in tokens:
        name, _, end = token.type.rpartition("_")
        if name in _FACES:
            face = face | _FACES[name] if end == "open" else face & ~_FACES[name]
        elif name == "link":
            href = str(token.attrs.get("href", "")) if end == "open" else ""
        elif token.type == "text" and not href:
            yield from linked(token.content, face)
        else:
            yield Run(_text_of(token), face | _extra_face(token), _image_address(token) or href)


def _text_of(token: "Token") -> str:
    match token.type:
        case "softbreak" | "hardbreak":
            return LINE_BREAK
        case "image":
            return _placeholder(token)
        case _ if token.type == MATH:
            return displayed(legible(token.content).replace("\n", LINE_BREAK))
        case _:
            return displayed(token.content)


def _extra_face(token: "Token") -> Face:
    match token.type:
        case "code_inline":
            return Face.CODE
        case "image":
            return Face.MUTED
        case _:
            return Face.FORMULA if token.type == MATH else Face.PLAIN


def _image_address(token: "Token") -> str:
    return str(token.attrs.get("src", "")) if token.type == "image" else ""


def _placeholder(token: "Token") -> str:
    """Images are never loaded: their description and the host they would come from stand in their place."""
    host = urlsplit(_image_address(token)).hostname or ""
    about = displayed(token.content).strip()
    label = QCoreApplication.translate("Transcript", "Image")
    return f"[{label}: {about} · {host}]" if about else f"[{label} · {host}]"
