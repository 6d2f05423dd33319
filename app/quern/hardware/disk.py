"""The disk that a folder lies on."""

import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """Size of a file system and what this account may still write to it, in bytes."""

    total_bytes: int
    free_bytes: int


def disk_of(folder: Path) -> Disk | None:
    """Return the disk that `folder`, or its nearest parent that exists, lies on; None where it does not answer."""
    for place in (folder, *folder.parents):
        try:
            usage = shutil.disk_usage(place)
        except FileNotFoundError:
            continue
        except OSError:
            return None
        return Disk(total_bytes=usage.total, free_bytes=usage.free)
    return None
