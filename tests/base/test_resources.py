"""Resources are found in a checkout and in a built wheel."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from quern.base import ResourceMissing, resource

ROOT = Path(__file__).parents[2]


def any_resource() -> str:
    return next(path for path in sorted((ROOT / "resources").rglob("*.svg"))).relative_to(ROOT / "resources").as_posix()


def test_a_checkout_finds_its_resources():
    name = any_resource()
    assert resource(name) == ROOT / "resources" / name


@pytest.mark.parametrize("name", ["icons/no-such-icon.svg", "icons", "", "../pyproject.toml", "/etc/hostname"])
def test_what_is_not_a_resource_is_missing(name: str):
    with pytest.raises(ResourceMissing) as caught:
        resource(name)
    assert caught.value.name == name
    assert f'"{name}"' in caught.value.what


def test_a_wheel_brings_its_resources_and_finds_them(tmp_path: Path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    name = any_resource()
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from quern.base import resource; print(resource(sys.argv[2]))"
    )
    command = [sys.executable, "-c", program, str(installed), name]
    found = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert Path(found.stdout.strip()) == installed / "quern" / "resources" / name
    assert (installed / "quern" / "resources" / name).read_bytes() == resource(name).read_bytes()
