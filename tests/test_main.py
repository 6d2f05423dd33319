"""The front door sends each caller to the right room and imports no other."""

import subprocess
import sys
from types import ModuleType

import pytest

from quern.__main__ import main


@pytest.fixture
def doors(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Stand-ins for the rooms behind the door; the dict fills with who was called with what."""
    called: dict[str, object] = {}

    def stand_in(name: str, function: str) -> ModuleType:
        module = ModuleType(name)

        def answer(argument: object) -> int:
            called[name] = argument
            return 7

        setattr(module, function, answer)
        return module

    cli = ModuleType("quern.cli")
    for name in ("app", "gui"):
        module = stand_in(f"quern.cli.{name}", "main")
        monkeypatch.setitem(sys.modules, f"quern.cli.{name}", module)
        setattr(cli, name, module)
    monkeypatch.setitem(sys.modules, "quern.cli", cli)
    return called


@pytest.mark.parametrize(
    ("arguments", "door", "passed_on"),
    [
        ([], "quern.cli.gui", []),
        (["gui"], "quern.cli.gui", []),
        (["gui", "--restored-after-crash", "r.txt"], "quern.cli.gui", ["--restored-after-crash", "r.txt"]),
        (["list", "--json"], "quern.cli.app", ["list", "--json"]),
        (["--version"], "quern.cli.app", ["--version"]),
        (["--worker"], "quern.cli.app", ["--worker"]),
    ],
)
def test_arguments_choose_the_door(doors: dict[str, object], arguments: list[str], door: str, passed_on: list[str]):
    assert main(arguments) == 7
    assert doors == {door: passed_on}


def test_without_arguments_of_its_own_it_takes_the_process_s(doors: dict[str, object], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", ["quern", "doctor"])
    assert main() == 7
    assert doors == {"quern.cli.app": ["doctor"]}


def test_a_worker_is_confined_and_offline_before_it_runs():
    program = """
import resource, socket, sys, types
workers = types.ModuleType("quern.workers")
def run(name):
    try:
        socket.getaddrinfo("name.example", 80)
    except Exception as error:
        print(name, resource.getrlimit(resource.RLIMIT_CORE), type(error).__name__)
    return 5
workers.run = run
sys.modules["quern.workers"] = workers
import quern
quern.workers = workers
from quern.__main__ import main
sys.exit(main(["--worker", "trial"]))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (5, "trial (0, 0) NetworkForbidden\n")


def test_the_watcher_s_door_leads_to_the_watcher():
    run = subprocess.run(
        [sys.executable, "-m", "quern", "--watcher", "r.txt", "quern"], input=b"Q", capture_output=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
