"""The command line itself: version, help, usage errors, and failures in one sentence."""

import json
import platform
import subprocess
import sys
from importlib import metadata

import pytest

from quern import __version__
from quern.base import Cancelled
from quern.cli import app

from .conftest import Run


def test_version_is_one_line(run: Run) -> None:
    ran = run("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"quern {__version__}\n", "")


@pytest.mark.parametrize("args", [("--version",), ("--version", "--json"), ("--help",), ("chat", "--help")])
def test_version_and_help_import_neither_engine_nor_window(args: tuple[str, ...]) -> None:
    code = f"""
import sys
from quern.__main__ import main
code = main({list(args)!r})
heavy = {{"llama_cpp", "PySide6", "numpy", "jinja2", "huggingface_hub", "gguf", "sqlite3", "psutil"}}
print("IMPORTED", sorted(heavy & set(sys.modules)), code)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "IMPORTED [] 0" in ended.stdout


def test_version_does_not_even_import_the_command_line_library() -> None:
    code = (
        "import sys; from quern.__main__ import main; main(['--version']); print({'typer', 'rich'} & set(sys.modules))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[1] == "set()"


@pytest.mark.parametrize("args", [("--version", "--json"), ("--json", "--version")])
def test_version_as_json_names_what_quern_runs_on(run: Run, args: tuple[str, str]) -> None:
    ran = run(*args)
    assert (ran.code, ran.err) == (0, "")
    document = json.loads(ran.out)
    assert document["version"] == document["versions"]["Quern"] == __version__
    assert document["versions"]["Python"] == platform.python_version()
    assert document["versions"]["llama-cpp-python"] == metadata.version("llama-cpp-python")
    assert document["versions"]["PySide6-Essentials"] == metadata.version("PySide6-Essentials")


def test_a_package_that_is_not_there_has_no_version(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quern.cli.version._PACKAGES", ("no-such-package",))
    assert json.loads(run("--version", "--json").out)["versions"]["no-such-package"] is None


def test_help_names_every_verb(run: Run) -> None:
    ran = run("--help")
    assert ran.code == 0
    assert all(verb in ran.out for verb in ("gui", "list", "show", "chat", "doctor"))


@pytest.mark.parametrize(
    "args",
    [
        ("frobnicate",),
        ("list", "--frob"),
        ("show",),
        ("chat",),
        ("chat", "m", "--threads", "-1"),
        ("chat", "m", "--threads", "10000"),
        ("chat", "m", "--threads", "many"),
        ("chat", "m", "--ctx", "-5"),
        ("chat", "m", "--temperature", "-0.1"),
        ("chat", "m", "--temperature", "nan"),
        ("chat", "m", "--seed", "-7"),
        ("chat", "m", "--max-tokens", "-1"),
        ("chat", "m", "--template", "frob"),
    ],
)
def test_usage_errors_have_exit_code_2_and_nothing_on_stdout(run: Run, args: tuple[str, ...]) -> None:
    ran = run(*args)
    assert (ran.code, ran.out) == (2, "")
    assert "Usage: quern" in ran.err


def test_a_usage_error_says_what_the_value_must_be(run: Run) -> None:
    words = " ".join(run("chat", "m", "--threads", "-1").err.replace("│", " ").split())
    assert "it must be a whole number from 1 to 512, or 0 for one per fast core" in words


@pytest.mark.parametrize(
    ("flag", "value", "sentence"),
    [
        ("--temperature", "warm", "it must be a number from 0 to 5."),
        ("--threads", "many", "it must be a whole number from 1 to 512, or 0 for one per fast core."),
        ("--max-tokens", "1.5", "it must be a whole number from"),
    ],
)
def test_a_word_in_place_of_a_number_gets_the_same_sentence(run: Run, flag: str, value: str, sentence: str) -> None:
    words = " ".join(run("chat", "m", flag, value).err.replace("│", " ").split())
    assert f"'{flag}': {sentence}" in words


def fail_with(error: BaseException) -> object:
    def commands() -> object:
        def run_nothing(*_args: object, **_options: object) -> None:
            raise error

        return run_nothing

    return commands


def test_an_unforeseen_error_is_a_sentence_not_a_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quern.cli.command.commands", fail_with(RuntimeError("the moon\nfell down")))
    ran = run("list")
    assert ran.is_one_sentence_failure
    assert "RuntimeError: the moon fell down" in ran.err


def test_a_cancelled_command_ends_as_shells_expect(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quern.cli.command.commands", fail_with(Cancelled()))
    ran = run("list")
    assert (ran.code, ran.out, ran.err) == (130, "", "Stopped.\n")


def test_ctrl_c_before_anything_runs_ends_quietly(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quern.cli.command.commands", fail_with(KeyboardInterrupt()))
    ran = run("list")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


def test_a_reader_that_leaves_early_causes_no_noise() -> None:
    shell = f"{sys.executable} -m quern list --json | head -c 1; echo codes ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert "Traceback" not in ended.stderr
    assert "Error" not in ended.stderr


def test_a_program_without_a_stdout_is_no_error() -> None:
    shell = f"{sys.executable} -m quern list --json >&-"
    ended = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_main_takes_any_sequence() -> None:
    assert app.main(("--version",)) == 0
