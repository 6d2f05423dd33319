"""The model picker: which model answers, how far it is loaded, and a way to stop loading."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication, QIcon
from PySide6.QtWidgets import QHBoxLayout, QMenu, QProgressBar, QPushButton, QWidget

from quern.gui.theme import GRID, current_colors, icon

from .icon_button import IconButton
from .label import text_label

MAX_TITLE_CHARACTERS = 48


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model that can be picked: its name, and its size and quantization in a few words."""

    name: str
    detail: str = ""


class ModelPicker(QWidget):
    """Owns the picker. `picked` carries a model's name; `settings_requested` asks for the dialog that loads a model
    with settings of one's own, `models_requested` for the Models page.
    """

    picked = Signal(str)
    unload_requested = Signal()
    settings_requested = Signal()
    models_requested = Signal()
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices: tuple[ModelChoice, ...] = ()
        self._loaded = ""
        self.button = QPushButton()
        self.button.setProperty("look", "picker")
        self._is_mirrored = QGuiApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft
        # The chevron stands behind the name: a button draws its icon where its own direction begins.
        self.button.setLayoutDirection(
            Qt.LayoutDirection.LeftToRight if self._is_mirrored else Qt.LayoutDirection.RightToLeft
        )
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.button.clicked.connect(self.open_menu)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(15 * GRID)
        self.progress.setAccessibleName(self.tr("Loading the model"))
        self.step = text_label(look="small")
        self.cancel_button = IconButton("close", self.tr("Stop loading"), size=16)
        self.cancel_button.clicked.connect(self.cancelled)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        for widget in (self.button, self.progress, self.step, self.cancel_button):
            layout.addWidget(widget)
        layout.addStretch(1)
        self.show_progress(None, "")
        self.show_loaded("")

    def open_menu(self) -> None:
        """Show the models under the button."""
        corner = self.button.rect().bottomRight() if self._is_mirrored else self.button.rect().bottomLeft()
        self.menu.popup(self.button.mapToGlobal(corner))

    def show_choices(self, choices: Sequence[ModelChoice]) -> None:
        """Offer `choices`."""
        self._choices = tuple(choices)

    def show_loaded(self, name: str) -> None:
        """Show which model answers; "" is none."""
        self._loaded = name
        title = name or self.tr("Choose a model")
        shown = title if len(title) <= MAX_TITLE_CHARACTERS else title[: MAX_TITLE_CHARACTERS - 1] + "…"
        self.button.setText(shown.replace("&", "&&"))
        self.button.setToolTip(self.tr("{0}: choose another model (Ctrl+M)").format(title))
        self.button.setAccessibleName(self.tr("Model: {0}").format(title))
        self._draw()

    def show_progress(self, fraction: float | None, step: str) -> None:
        """Show how far loading is (0..1) and what it does now; None when nothing is loading."""
        is_loading = fraction is not None
        for widget in (self.progress, self.step, self.cancel_button):
            widget.setVisible(is_loading)
        self.progress.setRange(0, 1000)
        self.progress.setValue(round(1000 * (fraction or 0.0)))
        self.step.setText(step)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette and the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        self.button.setIcon(icon("chevron-down", current_colors().muted, size=16))

    def _fill_menu(self) -> None:
        self.menu.clear()
        group = QActionGroup(self.menu)
        for choice in self._choices:
            title = f"{choice.name}\t{choice.detail}" if choice.detail else choice.name
            action = QAction(title.replace("&", "&&"), self.menu)
            action.setCheckable(True)
            action.setChecked(choice.name == self._loaded)
            action.triggered.connect(lambda _checked=False, name=choice.name: self.picked.emit(name))
            group.addAction(action)
            self.menu.addAction(action)
        if self._choices:
            self.menu.addSeparator()
        if self._choices:
            self._add(
                self.tr("Load with settings…"), icon("memory", current_colors().muted), self.settings_requested.emit
            )
        if self._loaded:
            self._add(self.tr("Unload"), QIcon(), self.unload_requested.emit)
        colors = current_colors()
        self._add(self.tr("All models…"), icon("models", colors.muted), self.models_requested.emit)

    def _add(self, title: str, drawn: QIcon, act: Callable[[], None]) -> None:
        action = QAction(drawn, title, self.menu)
        action.triggered.connect(act)
        self.menu.addAction(action)
