"""The worker's side of `base.child`: questions come in as JSON lines, answers go out the same way."""

import json
import os
import sys
from collections.abc import Callable
from typing import BinaryIO

from .errors import QuernError
from .json_value import Json, JsonObject


def serve_worker(answer: Callable[[Json], Json]) -> int:
    """Answer each line of stdin with one line on stdout until stdin ends; return the exit code.

    stdout carries answers only: file descriptor 1 is pointed at stderr, so that nothing that native code prints
    can get between them, and stdin is taken away from it likewise. An exception that `answer` raises becomes
    `{"error": {"kind", "reason", "fields"}}`; a QuernError brings its fields.
    """
    questions, answers = _take_pipes()
    with questions, answers:
        for line in questions:
            answers.write(_encode(_answer_to(line, answer)))
            answers.flush()
    return 0


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return questions, answers


def _answer_to(line: bytes, answer: Callable[[Json], Json]) -> Json:
    try:
        return answer(json.loads(line))
    except QuernError as error:
        return _failure(type(error).__name__, error.what, {key: _plain(value) for key, value in error.values().items()})
    except Exception as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return _failure(type(error).__name__, str(error) or type(error).__name__, {})


def _failure(kind: str, reason: str, fields: JsonObject) -> Json:
    return {"error": {"kind": kind, "reason": reason, "fields": fields}}


def _plain(value: object) -> Json:
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _encode(document: Json) -> bytes:
    return json.dumps(document).encode() + b"\n"
