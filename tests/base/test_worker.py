"""A worker, seen from the shell: JSON lines in, JSON lines out, nothing else on stdout."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("worker_program.py")


def converse(*questions: str) -> tuple[list[object], str]:
    run = subprocess.run(
        [sys.executable, str(PROGRAM), "none"], input="\n".join(questions), capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in run.stdout.splitlines()], run.stderr


def test_questions_are_answered_in_order_until_stdin_ends():
    answers, _ = converse('{"do": "echo", "say": "ä"}', '{"do": "echo", "say": 2}')
    assert answers == ["ä", 2]


def test_no_questions_no_answers():
    assert converse() == ([], "")


def test_what_is_printed_goes_to_stderr():
    answers, stderr = converse('{"do": "print"}')
    assert answers == [{"stdin": ""}]
    assert "stray Python output\nstray native output\n" in stderr


def test_a_question_that_is_not_json_is_answered_with_an_error_and_the_next_one_properly():
    answers, stderr = converse("{", '{"do": "echo", "say": 1}')
    (error, answer) = answers
    assert answer == 1
    assert isinstance(error, dict)
    assert error["error"]["kind"] == "JSONDecodeError"
    assert "Traceback" in stderr
