"""llama.cpp's lines become reasons and figures."""

import logging
from pathlib import Path

import pytest

from quern.llama import LoadRefused, Model, capture_log
from quern.llama.log import ERROR_LEVEL, LogCapture

from .conftest import SAFE

INFO_LEVEL = 2
CONTINUED = 5


def captured(*lines: tuple[int, str]) -> LogCapture:
    capture = LogCapture()
    for level, line in lines:
        capture.add(level, line)
    return capture


def test_the_reason_is_the_first_telling_error_without_its_function() -> None:
    capture = captured(
        (INFO_LEVEL, "print_info: file size = 1 MiB\n"),
        (ERROR_LEVEL, "llama_model_load: error loading model: missing tensor 'output_norm.weight'\n"),
        (ERROR_LEVEL, "llama_model_load_from_file_impl: failed to load model\n"),
    )
    assert capture.reason == "missing tensor 'output_norm.weight'"


def test_a_vague_reason_is_better_than_none() -> None:
    assert captured((ERROR_LEVEL, "llama_x: failed to load model\n")).reason == "failed to load model"
    assert captured((INFO_LEVEL, "all is well\n")).reason == ""


def test_continued_lines_are_glued() -> None:
    assert captured((ERROR_LEVEL, "f: half "), (CONTINUED, "a reason\n")).reason == "half a reason"


def test_lines_are_kept_as_they_were_written() -> None:
    capture = captured((INFO_LEVEL, "one\n"), (INFO_LEVEL, "two "), (CONTINUED, "halves\n"))
    assert capture.lines == ("one\n", "two halves\n")


def test_what_the_library_says_is_heard_while_open_and_by_developers_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "quern.llama.log")
    with capture_log() as early:
        pass
    with capture_log() as late, pytest.raises(LoadRefused):
        Model.open(tmp_path / "missing.gguf", SAFE, lambda _share: True)
    assert early.reason == ""
    assert late.reason != ""
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}
