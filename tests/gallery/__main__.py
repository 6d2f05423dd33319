"""Usage: python -m tests.gallery OUT [NAME...]. Renders scenes light and dark, at 1x and 1.5x, to OUT/*.png."""

import os
import subprocess
import sys
from pathlib import Path

SCALES = ("1", "1.5")
SCHEMES = ("light", "dark")


def main(arguments: list[str]) -> int:
    """Render in one process per scale and scheme: Qt reads the scale factor only once."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    out = Path(arguments[0])
    out.mkdir(parents=True, exist_ok=True)
    status = 0
    for scale in SCALES:
        for scheme in SCHEMES:
            environ = os.environ | {"QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen"}
            command = [sys.executable, "-m", "tests.gallery.render", str(out), scheme, scale, *arguments[1:]]
            status |= subprocess.run(command, env=environ, check=False).returncode
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
