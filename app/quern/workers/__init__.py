"""Child programs: one file each, started as `quern --worker NAME`, one JSON line in, one out."""

import sys
from importlib import import_module

WORKERS = ("trial", "devices", "template", "dry_run")


def run(name: str) -> int:
    """Run worker `name` in this process until its stdin ends; return the exit code (2 for a name that is no worker's).

    The process is confined before (`quern.base.confine_worker`, which `quern.__main__` calls first thing).
    """
    from quern.base import serve_worker

    if name not in WORKERS:
        sys.stderr.write(f"quern: there is no worker {name!r}\n")
        return 2
    return serve_worker(import_module(f"{__name__}.{name}").answer)
