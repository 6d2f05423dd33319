"""`quern`, `python -m quern` and the bundle's executable: sends each to its door without importing the others."""

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the window, a worker, the watcher or a command-line verb; return the exit code.

    `argv` is what follows the program's name; None takes it from this process.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    match args:
        case [] | ["gui", *_]:
            from quern.cli import gui

            return gui.main(args[1:])
        case ["--worker", name]:
            return _work(name)
        case ["--watcher", *rest]:
            from quern.base import watch

            return watch(rest)
        case _:
            from quern.cli import app

            return app.main(args)


def _work(name: str) -> int:
    from quern.base import NetworkPolicy, confine_worker, install_network_guard

    confine_worker()
    install_network_guard(NetworkPolicy(offline=True))  # no worker has business on the network
    from quern import workers

    return workers.run(name)


if __name__ == "__main__":
    sys.exit(main())
