"""The fit panel: will this model fit here, with how much context, and what to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from quern.base.units import format_count
from quern.fit import FitReport, Goal
from quern.gui.theme import GRID
from quern.gui.theme.metrics import scaled
from quern.gui.widgets.label import text_label
from quern.gui.widgets.shortcut import bind_keys
from quern.gui.widgets.tab_order import chain_tabs
from quern.spec import LoadSettings

from .advice_list import AdviceList
from .device_rows import DeviceRows
from .form import SettingsForm
from .goal_row import GoalRow
from .legend import Legend
from .measured_lines import MeasuredLines
from .segment import device_views
from .verdict import VerdictLine

if TYPE_CHECKING:
    from quern.runtime import FitLimits, MeasuredLoad

WIDE = 72 * GRID


class FitPanel(QWidget):
    """Owns the whole panel, which is told everything it shows.

    `changed` carries the LoadSettings after a person's choice, `wished` a Wish for the best ones; `reset` asks for
    those that were shown first, `retried` for another attempt after a problem.
    """

    changed = Signal(object)
    wished = Signal(object)
    reset = Signal()
    retried = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Memory"))
        self.verdict = VerdictLine()
        self.retry_button = QPushButton(self.tr("Try again"))
        self.retry_button.clicked.connect(self.retried)
        self.companions = text_label(look="small", wraps=True)
        self.legend = Legend()
        self.devices = DeviceRows(self.legend)
        self.form = SettingsForm()
        self.goals = GoalRow()
        self.advice = AdviceList()
        self.measured = MeasuredLines()
        self._is_best = False
        self.form.changed.connect(self._change)
        self.goals.wished.connect(self._wish)
        self.advice.applied.connect(self._change)
        self.goals.reset.connect(self._reset)
        self.verdict.help_button.clicked.connect(self._show_help)
        self._body = QWidget()
        self._columns = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._under_bars, self._offered = QVBoxLayout(), QVBoxLayout()
        self._legend_place: QVBoxLayout | None = None
        self._n_ordered = (0, 0)
        self._lay_out()
        self.say_opening()

    def bind_keys_in(self, owner: QWidget) -> None:
        """Let the panel's buttons be pressed by keys from anywhere in `owner`, the page or dialog around it."""
        for title, keys, act in (
            (self.tr("Best settings: fastest"), "Alt+1", lambda: self.goals.wish(Goal.FASTEST)),
            (self.tr("Best settings: longest context"), "Alt+2", lambda: self.goals.wish(Goal.LONGEST_CONTEXT)),
            (self.tr("Best settings: several users"), "Alt+3", lambda: self.goals.wish(Goal.USERS)),
            (self.tr("Take the first step that helps"), "Alt+Return", self.advice.apply_first),
            (self.tr("Reset the load settings"), "Alt+0", self._reset),
        ):
            bind_keys(owner, title, keys, act)

    def say_opening(self) -> None:
        """Say that the model's header is being read."""
        self._show_words(self.tr("Reading the model's header…"), "")

    def show_problem(self, what: str, next_step: str) -> None:
        """Say why it cannot be told whether the model fits."""
        self._show_words(what, next_step)
        self.retry_button.show()

    def show_limits(self, limits: FitLimits, companions: Sequence[str] = ()) -> None:
        """Offer the choices of one model; `companions` are the names of what is loaded with it."""
        self.verdict.begin_anew()
        self._choose_by_hand()
        self.form.show_limits(limits)
        self.companions.setText(self.tr("Together with {0}").format(", ".join(companions)))
        self.companions.setVisible(bool(companions))

    def show_settings(self, asked: LoadSettings, resolved: LoadSettings, *, is_changed: bool) -> None:
        """Show what is chosen; `is_changed` where that differs from what was first."""
        self.form.show_settings(asked, resolved)
        self.goals.reset_button.setEnabled(is_changed)
        self.goals.say(self._best_note(resolved) if self._is_best else "")

    def show_report(self, report: FitReport, source: str) -> None:
        """Show an answer; `source` says how it was found."""
        self.verdict.show_report(report, source)
        self.devices.show_devices(device_views(report))
        self._place_legend()
        self.form.show_report(report)
        self.advice.show_advice(report.advice)
        self.retry_button.hide()
        self._body.show()
        self._order_tabs()

    def refuse(self, what: str, next_step: str) -> None:
        """Say why these settings cannot be; others can be chosen."""
        self.verdict.show_problem(what, next_step)
        self.advice.show_advice(())

    def show_measured(self, loads: Sequence[MeasuredLoad]) -> None:
        """Show the newest of `loads`."""
        self.measured.show_load(next(iter(loads), None))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand in two columns where there is room."""
        super().resizeEvent(event)
        is_wide = self.width() >= scaled(WIDE, self.fontMetrics().height())
        self._columns.setDirection(QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom)
        self._place_legend()

    def _change(self, settings: object) -> None:
        self._choose_by_hand()
        self.changed.emit(settings)

    def _wish(self, wish: object) -> None:
        self._is_best = True
        self.wished.emit(wish)

    def _reset(self) -> None:
        self._choose_by_hand()
        self.reset.emit()

    def _choose_by_hand(self) -> None:
        self._is_best = False
        self.goals.say("")

    def _best_note(self, best: LoadSettings) -> str:
        """What a button chose, said beside it: bars and sliders may have been scrolled out of sight."""
        context, count = format_count(best.n_ctx_cells or 0), format_count(best.n_seq_max)
        note = self.tr("Set to a context of {0}, parallel requests {1}, KV cache {2}.")
        return note.format(context, count, best.type_k.value)

    def _place_legend(self) -> None:
        """Under the bars; a table for several devices stands beside the sliders where there are two columns."""
        is_beside = self._columns.direction() is QBoxLayout.Direction.LeftToRight and len(self.devices.bars()) > 1
        place = self._offered if is_beside else self._under_bars
        if place is not self._legend_place:
            self._legend_place = place
            place.insertWidget(0, self.legend)

    def _order_tabs(self) -> None:
        """Have Tab go through bars and advice where they are seen; they are built when they are first needed."""
        n_built = len(self.devices.bars()), len(self.advice.rows())
        if n_built != self._n_ordered:
            self._n_ordered = n_built
            parts = (self.verdict, self.retry_button, self.devices, self.form, self.advice, self.goals)
            chain_tabs(*parts)

    def _show_help(self) -> None:
        """Bring the advice into view, and the keyboard to its first button."""
        parent = self.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        if isinstance(parent, QScrollArea):
            parent.ensureWidgetVisible(self.advice, 0, GRID)
        self.advice.focus_first()

    def _show_words(self, what: str, next_step: str) -> None:
        self.verdict.show_problem(what, next_step)
        self.retry_button.hide()
        self._body.hide()

    def _lay_out(self) -> None:
        own = QVBoxLayout()
        own.setSpacing(GRID)
        own.addWidget(self.form)
        own.addStretch(1)
        self._offered.setSpacing(2 * GRID)
        for widget in (self.advice, self.goals, self.measured):
            self._offered.addWidget(widget)
        self._offered.addStretch(1)
        self._columns.setSpacing(3 * GRID)
        self._columns.addLayout(own, 1)
        self._columns.addLayout(self._offered, 1)
        body = QVBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(2 * GRID)
        body.addWidget(self.companions)
        body.addWidget(self.devices)
        body.addLayout(self._under_bars)
        body.addLayout(self._columns)
        retry = QHBoxLayout()
        retry.addWidget(self.retry_button)
        retry.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GRID)
        layout.addWidget(self.verdict)
        layout.addLayout(retry)
        layout.addWidget(self._body)
        layout.addStretch(1)
