"""The verdict in words, and how it was found."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from quern.fit import FitReport, Verdict
from quern.gui.theme import GRID
from quern.gui.widgets.label import Mark, text_label
from quern.runtime import verdict_sentence

_MARKS = {
    Verdict.FITS: ("check", "success"),
    Verdict.TIGHT: ("warning", "warning"),
    Verdict.PARTIAL: ("warning", "warning"),
    Verdict.TOO_LARGE: ("error", "danger"),
}


class VerdictLine(QWidget):
    """Owns mark, sentence and source. It grows and never shrinks for one model: nothing below it jumps about."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = Mark("info", "muted")
        self.sentence = text_label(look="section", wraps=True)
        self.sentence.setAlignment(
            self.sentence.alignment() & ~Qt.AlignmentFlag.AlignVertical_Mask | Qt.AlignmentFlag.AlignTop
        )
        self.source = text_label(look="small", wraps=True)
        self.help_button = QPushButton(self.tr("See what would help"))
        self.help_button.setProperty("look", "link")
        self.help_button.hide()
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.sentence)
        words.addWidget(self.source)
        words.addWidget(self.help_button, 0, Qt.AlignmentFlag.AlignLeading)
        words.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)

    def begin_anew(self) -> None:
        """Another model, another height."""
        self.setMinimumHeight(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width, another height."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.begin_anew()
        self.setMinimumHeight(max(self.minimumHeight(), self.heightForWidth(self.width())))

    def show_report(self, report: FitReport, source: str) -> None:
        """Show the verdict of `report` and `source`, which says how it was found."""
        self.help_button.setVisible(report.verdict is not Verdict.FITS and bool(report.advice))
        self._say(*_MARKS[report.verdict], verdict_sentence(report), source)

    def show_problem(self, sentence: str, advice: str) -> None:
        """Say why there is no verdict."""
        self.help_button.hide()
        self._say("info", "muted", sentence, advice)

    def _say(self, icon_name: str, tint: str, sentence: str, source: str) -> None:
        self._mark.show_icon(icon_name, tint)
        self.sentence.setText(sentence)
        self.source.setText(source)
        self.setMinimumHeight(max(self.minimumHeight(), self.heightForWidth(self.width())))
        self.setAccessibleName(sentence)
        self.setAccessibleDescription(source)
