"""Start-up: `quern` to a window that accepts typing, against a bare PySide6 window with a text box, interleaved.

Usage: python -m tests.bench.startup [PAIRS]. Prints JSON: medians in seconds and MB, and their ratio and difference.
Both programs run in fresh processes and say when a key press really arrived in the text box; the memory is the
process's resident set at that moment, before a model is loaded.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BARE = """
import os, sys, time
from PySide6.QtCore import QEvent, QTimer, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit
app = QApplication(sys.argv)
window = QMainWindow(); box = QPlainTextEdit(); window.setCentralWidget(box); window.resize(1100, 740); window.show()
box.setFocus()
def type_a_letter():
    key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, 'a')
    QApplication.sendEvent(box, key)
    assert box.toPlainText() == 'a'
    report()
def report():
    import psutil
    print(time.time(), psutil.Process().memory_info().rss, flush=True)
    os._exit(0)
QTimer.singleShot(0, type_a_letter)
app.exec()
"""

QUERN = """
import os, time
from PySide6.QtCore import QEvent, QTimer, Qt
from PySide6.QtGui import QKeyEvent
def typing_accepted(composer):
    from PySide6.QtWidgets import QApplication
    key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, 'a')
    QApplication.sendEvent(composer, key)
    assert composer.toPlainText() == 'a'
    import psutil
    print(time.time(), psutil.Process().memory_info().rss, flush=True)
    os._exit(0)
from tests.idle_window import run_until_typing
run_until_typing(typing_accepted)
"""


def measure(program: str) -> tuple[float, float]:
    """Start `program` in a fresh process and data folder; return seconds until it typed and its memory in MB."""
    with tempfile.TemporaryDirectory() as home:
        environ = os.environ | {"QT_QPA_PLATFORM": "offscreen", "QUERN_HOME": home}
        started = time.time()
        command = [sys.executable, "-c", program]
        output = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    ended, rss_bytes = output.stdout.split()[-2:]
    return float(ended) - started, int(rss_bytes) / 1e6


def main(pairs: int = 9) -> None:
    """Run `pairs` interleaved pairs after one warm-up of each, and print the medians."""
    measure(BARE)
    measure(QUERN)
    bare: list[tuple[float, float]] = []
    quern: list[tuple[float, float]] = []
    for _ in range(pairs):
        bare.append(measure(BARE))
        quern.append(measure(QUERN))
    bare_s, bare_mb = (statistics.median(values) for values in zip(*bare, strict=True))
    quern_s, quern_mb = (statistics.median(values) for values in zip(*quern, strict=True))
    report = {
        "pairs": pairs,
        "bare_s": round(bare_s, 3),
        "quern_s": round(quern_s, 3),
        "ratio": round(quern_s / bare_s, 2),
        "bare_mb": round(bare_mb, 1),
        "quern_mb": round(quern_mb, 1),
        "more_mb": round(quern_mb - bare_mb, 1),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
