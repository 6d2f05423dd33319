"""The house keeps its own rules: format, lint, types, import arrows, licences, lazy doors, a light idle window."""

import ast
import importlib
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "app" / "quern"
BIN = Path(sys.executable).parent

# What an idle window must not have imported: each costs time or memory that nobody asked for yet.
HEAVY = {
    "llama_cpp",
    "numpy",
    "typer",
    "rich",
    "pyqtgraph",
    "huggingface_hub",
    "gguf",
    "jinja2",
    "pygments",
    "tomlkit",
    "pynvml",
}


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "format", "--check", "."),
        ("ruff", "check", "."),
        ("basedpyright", "--pythonpath", sys.executable),
        ("lint-imports",),
    ],
    ids=" ".join,
)
def test_the_source_passes(command: tuple[str, ...]) -> None:
    result = run(str(BIN / command[0]), *command[1:])
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]


def test_no_type_check_is_switched_off_for_a_whole_file() -> None:
    pattern = re.compile(r"^\s*#\s*(pyright:|type:\s*ignore|basedpyright:|mypy:)", re.MULTILINE)
    files = [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    loud = [str(path) for path in files if pattern.search(path.read_text())]
    assert loud == []


def forbidden_alternatives(expression: str) -> bool:
    """Whether a licence is not declared, or each of its alternatives is GPL or AGPL (LGPL is neither)."""
    alternatives = re.split(r"\s+OR\s+|;|/", expression, flags=re.IGNORECASE)
    return all(not part or re.search(r"(?<!L)(A?GPL|GNU (Affero )?General Public)", part) for part in alternatives)


def licence_of(name: str) -> str:
    """Return the licence a distribution declares: its SPDX expression, else its classifiers, else its text."""
    info = metadata.metadata(name)
    if info["License-Expression"]:
        return info["License-Expression"]
    classifiers = [c for c in info.get_all("Classifier") or [] if c.startswith("License ::")]
    return " OR ".join(classifiers) or (info["License"] or "")


def distributions_under(name: str) -> set[str]:
    """Return the names of every distribution that installing `name` with all its extras brings, itself included."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        try:
            requirements = metadata.requires(current) or []
        except metadata.PackageNotFoundError:
            continue
        seen.add(current)
        wanted = [r for r in requirements if current == name or "extra ==" not in r]
        waiting += [re.split(r"[^A-Za-z0-9._-]", r, maxsplit=1)[0].lower().replace("_", "-") for r in wanted]
    return seen


def test_no_dependency_is_gpl_or_agpl_only() -> None:
    names = distributions_under("quern")
    assert {"pyside6-essentials", "llama-cpp-python", "jinja2"} <= names
    assert [name for name in names if forbidden_alternatives(licence_of(name))] == []


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        ("GPL-3.0-only", True),
        ("AGPL-3.0-or-later", True),
        ("LGPL-3.0-only OR GPL-2.0-only", False),
        ("MIT", False),
        ("", True),
    ],
)
def test_the_licence_check_can_fail(expression: str, refused: bool) -> None:
    assert forbidden_alternatives(expression) is refused


def test_jinja2_is_new_enough_for_its_sandbox_fixes() -> None:
    """EV-05: Jinja2 >= 3.1.6 (CVE-2025-27516)."""
    assert tuple(int(part) for part in metadata.version("jinja2").split(".")[:3]) >= (3, 1, 6)


def test_nothing_of_ours_unpickles() -> None:
    """EV-05: no unpickling of cache files or files beside a model (CVE-2025-69872)."""
    pattern = re.compile(r"^\s*(import|from)\s+(pickle|shelve|dill|diskcache|marshal|joblib)\b", re.MULTILINE)
    assert [str(path) for path in PACKAGE.rglob("*.py") if pattern.search(path.read_text())] == []


def test_bundle_constraints_pin_every_distribution_with_hashes() -> None:
    """EV-05: hashes pinned."""
    text = (ROOT / "packaging" / "constraints-hashed.txt").read_text()
    pins = re.findall(r"^[a-z0-9._-]+==[^\\]+\\\n\s+--hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[a-z0-9._-]+==", text, re.MULTILINE)) > 30


@pytest.mark.parametrize("name", ["constraints.txt", "constraints-hashed.txt"])
def test_constraints_name_no_host(name: str) -> None:
    assert "://" not in (ROOT / "packaging" / name).read_text()


ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_at_a_rooms_door_resolves(room: str) -> None:
    module = importlib.import_module(f"quern.{room}")
    names: list[str] = getattr(module, "__all__", [])
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("folder", ["viewmodels", "bridge.py"])
def test_view_models_and_the_bridge_know_only_qtcore(folder: str) -> None:
    place = PACKAGE / "gui" / folder
    files = [place] if place.is_file() else list(place.rglob("*.py"))
    assert files
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6"):
                assert node.module == "PySide6.QtCore", path
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith("PySide6") for alias in node.names), path


def test_an_idle_window_has_imported_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from tests.idle_window import open_idle_window\n"
        "open_idle_window()\n"
        "print(' '.join(sorted({name.partition('.')[0] for name in sys.modules})))\n"
    )
    result = run(sys.executable, "-W", "error", "-c", program)
    assert result.returncode == 0, result.stderr
    imported = set(result.stdout.split())
    assert "PySide6" in imported
    assert imported & HEAVY == set()


def test_qt_calls_lose_no_reference_to_none(qapp: QApplication) -> None:
    """PySide6 6.12.0 loses one in every call on Python 3.11, until the process dies."""
    assert qapp is not None
    label = QLabel()
    before = sys.getrefcount(None)
    for _ in range(500):
        label.setText("text")
    assert sys.getrefcount(None) > before - 250
