"""The room's door opens every public name, and only when asked."""

import subprocess
import sys
from importlib import import_module

import pytest

import quern.base


def test_every_public_name_can_be_imported():
    for name in quern.base.__all__:
        assert getattr(quern.base, name) is not None


def test_a_name_that_is_not_exported_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'quern\.base' has no attribute 'Quorum'"):
        getattr(import_module("quern.base"), "Quorum")  # noqa: B009


def test_the_door_alone_imports_nothing_heavy():
    program = """
import sys
import quern.base
from quern.base import Home, Publisher, CancelToken, QuernError
Home.locate({"QUERN_HOME": "somewhere"})
print(*sorted(set(sys.modules) & {"sqlite3", "platformdirs", "subprocess", "ctypes", "socket", "logging", "tempfile"}))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
