"""`quern chat` in a real terminal: what is typed during a reply is answered after it."""

import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminal like this", allow_module_level=True)

import pty

LONGEST_WAIT_S = 60.0


def read_until(terminal: int, mark: bytes) -> bytes:
    """Return what the screen got up to the pattern `mark`, which must come."""
    seen = b""
    deadline_s = time.monotonic() + LONGEST_WAIT_S
    while not re.search(mark, seen, re.DOTALL):
        assert time.monotonic() < deadline_s, seen
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 4096)
    return seen


def test_a_line_typed_during_a_reply_is_the_next_message(starter_model: Path) -> None:
    outer, inner = pty.openpty()
    flags = ("--temperature", "0", "--max-tokens", "40")
    command = (sys.executable, "-m", "quern", "chat", str(starter_model), *flags)
    chat = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, env={**os.environ, "TERM": "xterm"})
    os.close(inner)
    try:
        read_until(outer, b"> ")
        os.write(outer, b"Tell me a long story.\n")
        read_until(outer, rb"story\.\r.*[A-Za-z]{4}")
        os.write(outer, b"/frobnicate\n")
        rest = read_until(outer, b"There is no command")
        assert rest.index(b"tokens/s") < rest.index(b"/frobnicate")
        os.write(outer, b"/exit\n")
        assert chat.wait(timeout=LONGEST_WAIT_S) == 0
    finally:
        chat.kill()
        chat.wait()
        os.close(outer)
