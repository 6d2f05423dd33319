"""Renders scenes in one scheme and scale: python -m tests.gallery.render OUT SCHEME SCALE [NAME...]."""

import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from quern.gui.theme import Theme, theme_choice

from .fit_scene import SCENES as FIT_SCENES
from .scene import SCENES
from .stage import Stage

PREFERRED_FONT = "Noto Sans"


def main(out: str, scheme: str, scale: str, *names: str) -> int:
    """Render each scene on a stage of its own."""
    application = QApplication([])
    if PREFERRED_FONT in QFontDatabase.families():
        application.setFont(QFont(PREFERRED_FONT, 10))
    theme = Theme(application)
    for scene in (*SCENES, *FIT_SCENES):
        if names and scene.name not in names:
            continue
        application.setLayoutDirection(
            Qt.LayoutDirection.RightToLeft if scene.is_mirrored else Qt.LayoutDirection.LeftToRight
        )
        theme.choose(theme_choice(scheme), scene.text_scale)
        with tempfile.TemporaryDirectory() as folder, Stage(Path(folder), scene) as stage:
            shown = scene.play(stage)
            stage.settle()
            shown.grab().save(str(Path(out) / f"{scene.name}-{scheme}-{scale}x.png"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
