"""The way to the starter model, the same on every page that offers it: a button, then how far the download is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPushButton

from quern.base.units import format_bytes
from quern.gui.widgets.progress_row import ProgressRow

if TYPE_CHECKING:
    from quern.base import Progress


def starter_button() -> QPushButton:
    """Return the button that downloads the starter model."""
    button = QPushButton(_translated("Download the starter model (98 MB)"))
    button.setProperty("look", "primary")
    return button


def starter_progress() -> ProgressRow:
    """Return the row that stands in place of the button while the download runs."""
    return ProgressRow(_translated("Downloading the starter model"))


def words_of(progress: Progress) -> str:
    """Return how far a download is, in words."""
    done, total = format_bytes(round(progress.done)), format_bytes(round(progress.total or 0))
    return _translated("{0} of {1}").format(done, total) if progress.total else done


def _translated(text: str) -> str:
    return QCoreApplication.translate("Starter", text)
