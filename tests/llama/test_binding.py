"""The low-level API comes alone, and small calls keep the GIL."""

import os
import subprocess
import sys
from pathlib import Path

from quern.llama.binding import keeping_gil, lib, library_folder


def run_python(code: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, **environ}
    return subprocess.run([sys.executable, "-c", code], check=False, env=env, capture_output=True, text=True)


def test_the_package_and_what_it_imports_stay_out() -> None:
    ended = run_python(
        "import sys, quern.llama.binding; print(sorted({'jinja2', 'numpy', 'diskcache'} & {*sys.modules}))"
    )
    assert ended.stdout.strip() == "[]", ended.stderr


def test_a_folder_without_libraries_is_one_clear_error(tmp_path: Path) -> None:
    code = (
        "from quern.base import QuernError\n"
        "try:\n import quern.llama.binding\n"
        "except QuernError as error: print(type(error).__name__, error)"
    )
    ended = run_python(code, LLAMA_CPP_LIB_PATH=str(tmp_path))
    assert ended.stdout.startswith("LibraryMissing The engine could not be started"), ended.stderr


def test_the_library_folder_holds_the_libraries() -> None:
    assert any("llama" in path.name for path in library_folder().iterdir())


def test_keeping_the_gil_changes_no_answer() -> None:
    kept = keeping_gil(lib.llama_print_system_info)
    assert kept() == lib.llama_print_system_info()
