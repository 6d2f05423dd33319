"""Writing the settings file whole or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Write `text` to `path` by temp file, fsync and atomic rename, readable by its owner only (0600).

    A symbolic link stays one; the file it leads to is replaced. Raises OSError and leaves the old file as it was.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def move_aside(path: Path) -> Path:
    """Give the file at `path` the first free name `<stem>.kept-<n><suffix>` beside it and return that name.

    Raises OSError.
    """
    number = 1
    while (kept := path.with_name(f"{path.stem}.kept-{number}{path.suffix}")).exists():
        number += 1
    path.rename(kept)
    return kept
