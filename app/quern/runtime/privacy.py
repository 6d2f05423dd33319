"""Text for a report that others may read, without what names a person."""

import getpass
import re
from contextlib import suppress
from pathlib import Path


def impersonal(text: str) -> str:
    """Return `text` with the person's folder as "~" and their account's name in any other path as "<user>"."""
    home = str(Path.home())
    if len(home) > 1:
        text = re.sub(re.escape(home) + r"(?![^\\/\s\"'])", "~", text)
    with suppress(OSError, KeyError, ImportError):  # getpass's errors for an account without a name
        name = re.escape(getpass.getuser())
        text = re.sub(rf"(?<=[\\/]){name}(?=[\\/]|$)", "<user>", text)
    return text
