"""Loads a model with settings of one's own: which model, the fit panel, and the button."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from quern.fit import Verdict
from quern.gui.theme import GRID, MARGIN
from quern.gui.theme.metrics import scaled
from quern.gui.viewmodels.desk import Desk
from quern.gui.viewmodels.fit import FitPhase
from quern.gui.widgets.fit_panel import FitPanel
from quern.gui.widgets.label import line, relook, text_label
from quern.gui.widgets.setting_editor import ChoiceBox

from .fit_binding import bind_fit

if TYPE_CHECKING:
    from quern.models import ModelEntry

WIDTH, HEIGHT = 96 * GRID, 92 * GRID
SCREEN_SHARE = 0.92
FITTING = (Verdict.FITS, Verdict.TIGHT)


class LoadDialog(QDialog):
    """Owns the dialog and its own fitter; accepted, it loads the chosen model with the settings shown."""

    def __init__(self, desk: Desk, entry: ModelEntry | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.fitter = desk.new_fitter(self)
        self.setWindowTitle(self.tr("Load a model"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.models = ChoiceBox()
        self.models.setAccessibleName(self.tr("Model"))
        for usable in desk.shelf.usable:
            self.models.addItem(usable.name, usable.name)
        self.panel = FitPanel()
        self.panel.bind_keys_in(self)
        bind_fit(self.panel, self.fitter)
        buttons = QDialogButtonBox(self)
        self.load_button = buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        relook(self.load_button, "primary")
        self.load_button.setDefault(True)
        self.cancel_button = buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self._lay_out(buttons)
        self.models.currentIndexChanged.connect(self._show_model)
        self.fitter.changed.connect(self._show_state)
        self.fitter.answered.connect(self._show_state)
        self.accepted.connect(self._load)
        self.finished.connect(self.fitter.close)
        self.models.setFocus()
        if entry is not None:
            self.models.setCurrentIndex(max(0, self.models.findData(entry.name)))
        self._show_model()

    @property
    def entry(self) -> ModelEntry | None:
        """The chosen model."""
        return self._desk.shelf.find(str(self.models.currentData() or ""))

    def _show_model(self) -> None:
        if self.entry is not None:
            self._desk.consider(self.fitter, self.entry)

    def _show_state(self) -> None:
        self.load_button.setEnabled(self.entry is not None and self.fitter.phase is not FitPhase.OPENING)
        self.load_button.setText(self.tr("Load all the same") if self._is_too_large() else self.tr("Load"))
        relook(self.load_button, "" if self._is_too_large() else "primary")

    def _is_too_large(self) -> bool:
        report = self.fitter.report
        return report is not None and report.verdict not in FITTING

    def _load(self) -> None:
        """Load; a person who sees that it does not fit and asks for it all the same is not refused."""
        entry, settings = self.entry, self.fitter.settings
        if entry is None:
            return
        if self.fitter.is_changed or self._is_too_large():
            terms = replace(self._desk.load_terms, wish=None, tries_too_large=self._is_too_large())
            self._desk.load(entry, settings, terms)
        else:
            self._desk.load(entry)

    def _lay_out(self, buttons: QDialogButtonBox) -> None:
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        title = text_label(self.tr("Model"))
        title.setBuddy(self.models)
        head.addWidget(title)
        head.addWidget(self.models, 1)
        content = QWidget()
        inside = QVBoxLayout(content)
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        inside.setContentsMargins(GRID if is_mirrored else 0, MARGIN, 0 if is_mirrored else GRID, MARGIN)
        inside.addWidget(self.panel)
        inside.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setAccessibleName(self.panel.accessibleName())
        scroll.setWidget(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(scroll, 1)
        layout.addWidget(line())
        layout.addSpacing(GRID)
        layout.addWidget(buttons)
        line_height = self.fontMetrics().height()
        wanted = QSize(scaled(WIDTH, line_height), scaled(HEIGHT, line_height))
        self.resize(wanted.boundedTo(self.screen().availableSize() * SCREEN_SHARE))
