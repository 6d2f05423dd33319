"""The Machine page: what this computer is, what the engine can use of it, and whether it really works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QProgressBar, QPushButton, QScrollArea, QVBoxLayout, QWidget

from quern.base import QuernError
from quern.gui.theme import GRID
from quern.gui.theme.metrics import COLUMN_WIDTH
from quern.gui.viewmodels.desk import Desk
from quern.gui.viewmodels.failure import Failure, failure_of
from quern.gui.widgets.banner import Banner, BannerText, Tone
from quern.gui.widgets.card import Card
from quern.gui.widgets.gap_notice import GapNotice
from quern.gui.widgets.label import text_label
from quern.gui.widgets.page import Page
from quern.gui.widgets.shortcut import bind_keys

if TYPE_CHECKING:
    from quern.hardware import Gap
    from quern.runtime import DoctorReport


class MachinePage(Page):
    """Owns the notices and cards of the last report; the first examination begins when the page is first shown."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.setProperty("look", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.examine_button = QPushButton(self.tr("Examine again"))
        self.examine_button.setToolTip(self.tr("Examine again (F5)"))
        self.copy_button = QPushButton(self.tr("Copy report"))
        self.copy_button.setToolTip(self.tr("Copy the report without personal data (Ctrl+Shift+C)"))
        self.running = QProgressBar()
        self.running.setRange(0, 0)
        self.running.setTextVisible(False)
        self.running.setAccessibleName(self.tr("Examining this machine"))
        self.words = text_label(look="muted", wraps=True)
        self.banner = Banner()
        self._notices: list[GapNotice] = []
        self._cards: list[Card] = []
        self._column = QVBoxLayout()
        self._lay_out()
        self._bind()
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        """Examine the machine at the first look at it."""
        super().showEvent(event)
        if self._desk.doctor.report is None:
            self._examine()

    def cards(self) -> tuple[Card, ...]:
        """The cards shown."""
        return tuple(self._cards)

    def notices(self) -> tuple[GapNotice, ...]:
        """What is there and not used, as it is shown."""
        return tuple(self._notices)

    def changeEvent(self, event: QEvent) -> None:
        """Keep the cards' columns in line with text of another size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._align_cards()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(GRID)
        top.addWidget(text_label(self.tr("Machine"), "title"), 1)
        top.addWidget(self.copy_button)
        top.addWidget(self.examine_button)
        self._column.setSpacing(2 * GRID)
        content = QWidget()
        content.setMaximumWidth(COLUMN_WIDTH + 6 * GRID)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 3 * GRID)
        layout.setSpacing(GRID)
        layout.addLayout(top)
        layout.addWidget(self.words)
        layout.addWidget(self.running)
        layout.addWidget(self.banner)
        layout.addSpacing(GRID)
        layout.addLayout(self._column)
        layout.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        self.settle(scroll)
        scroll.setWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)

    def _bind(self) -> None:
        doctor = self._desk.doctor
        doctor.changed.connect(self._show)
        doctor.failed.connect(self._say)
        self._desk.opened.connect(self._examine_if_seen)
        self._desk.preferences.changed.connect(self._follow_network)
        self.banner.acted.connect(self._examine)
        self.examine_button.clicked.connect(self._examine)
        self.copy_button.clicked.connect(self._copy)
        bind_keys(self, self.examine_button.text(), QKeySequence.StandardKey.Refresh, self.examine_button.click)
        bind_keys(self, self.copy_button.text(), "Ctrl+Shift+C", self.copy_button.click)

    def _examine_if_seen(self) -> None:
        if self.isVisible():
            self._examine()

    def _follow_network(self) -> None:
        self._desk.doctor.take_network(is_offline=self._desk.is_offline)

    def _examine(self) -> None:
        if self._desk.is_open:
            self.banner.hide()
            self._desk.doctor.examine(is_offline=self._desk.is_offline)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._desk.doctor.text())
        self.words.setText(self.tr("The report is on the clipboard. It holds no personal data."))

    def _show(self) -> None:
        doctor = self._desk.doctor
        self.running.setVisible(doctor.is_running)
        self.examine_button.setEnabled(not doctor.is_running)
        self.copy_button.setEnabled(doctor.report is not None)
        if doctor.is_running:
            self.words.setText(self.tr("Looking at this machine and trying the engine out in a separate process…"))
        elif doctor.report is not None:
            self.words.setText(self._verdict(doctor.report))
        if doctor.report is not None and not doctor.is_running:
            self._show_report(doctor.report)

    def _verdict(self, report: DoctorReport) -> str:
        if isinstance(report.engine, QuernError):
            return self.tr("The engine does not work here as it is.")
        if report.problems:
            return " ".join(failure_of(problem).what for problem in report.problems)
        if report.gpu_fallback is not None:
            return self.tr("The engine works here, but models run on the CPU: the GPU is not used.")
        if report.trial is None:
            return self.tr("The engine works here. There is no model yet to try it with: add one on the Models page.")
        if report.gaps:
            return self.tr("The engine works here, but does not use everything that is there.")
        return self.tr("Everything that Quern needs works here.")

    def _show_report(self, report: DoctorReport) -> None:
        for shown in (*self._notices, *self._cards):
            self._column.removeWidget(shown)
            shown.hide()
            shown.deleteLater()
        self._notices = [_notice(gap) for gap in report.gaps]
        self._cards = [Card(section.title, section.lines) for section in self._desk.doctor.sections()]
        for shown in (*self._notices, *self._cards):
            self._column.addWidget(shown)
        self._align_cards()

    def _align_cards(self) -> None:
        """Give the names of all cards one column."""
        grids = [grid for card in self._cards if isinstance(grid := card.facts.layout(), QGridLayout)]
        widths = [_name_width(grid, row) for grid in grids for row in range(grid.rowCount())]
        for grid in grids:
            grid.setColumnMinimumWidth(0, max(widths, default=0))

    def _say(self, failure: Failure) -> None:
        self.banner.say(BannerText(Tone.ERROR, failure.what, failure.next_step, (("retry", self.tr("Try again")),)))


def _notice(gap: Gap) -> GapNotice:
    tone = Tone.WARNING if gap.weight.value == "loss" else Tone.INFO
    return GapNotice(tone, gap.sentence, gap.advice, gap.command)


def _name_width(grid: QGridLayout, row: int) -> int:
    item = grid.itemAtPosition(row, 0)
    name = None if item is None else item.widget()
    if name is None:
        return 0
    name.ensurePolished()
    return name.sizeHint().width()
