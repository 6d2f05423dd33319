"""The keyboard while nobody reads it: what is typed ahead is neither shown in between nor lost."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

from .output import is_terminal


@contextmanager
def typing_ahead() -> Generator[None, None, None]:
    """While the body runs, the terminal keeps what is typed, unseen, for the next line that is read; also at Ctrl-C.

    Does nothing where no person types, and on Windows, whose console keeps keys unseen by itself.
    """
    if sys.platform == "win32" or not is_terminal(sys.stdin):
        yield
        return
    import termios

    try:
        keyboard = sys.stdin.fileno()
        before = termios.tcgetattr(keyboard)
    except (OSError, termios.error):
        yield
        return
    quiet = list(before)
    quiet[3] = (quiet[3] & ~termios.ECHO) | termios.NOFLSH  # the local modes, see termios(3)
    termios.tcsetattr(keyboard, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
