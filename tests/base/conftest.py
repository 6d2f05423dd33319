"""What the ground's tests share: an ordinary person's permissions, also where the tests run as root."""

import os
import sys
from collections.abc import Iterator

import pytest

NOBODY = 65534


@pytest.fixture
def without_privilege() -> Iterator[None]:
    """Run the test as a user whom file permissions bind."""
    if sys.platform == "win32" or os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
