"""A stand-in for the window, for the tests of `base.watcher`: says that it lives, then ends as it is told."""

import ctypes
import os
import sys
import time
from pathlib import Path

from quern.base import Home, Watcher, enable_crash_report


def main(folder: Path, ending: str, flags: list[str]) -> None:
    """Append a line to `folder`/lives and end: "wait" for ever, "crash", or "clean"."""
    home = Home(folder / "home")
    home.prepare()
    report = enable_crash_report(home)
    watcher = Watcher.start((sys.executable, __file__, str(folder), ending, *flags), report)
    with (folder / "lives").open("a") as lives:
        lives.write(f"{os.getpid()} {' '.join(flags)}\n")
    match ending:
        case "crash":
            time.sleep(0.2)
            ctypes.string_at(0)
        case "clean":
            watcher.say_clean_exit()
            watcher.say_clean_exit()
        case _:
            time.sleep(600)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
