"""How the next token is chosen in this chat: one row per parameter, stop strings, and the way back to the defaults."""

from dataclasses import replace

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.theme.metrics import scaled
from quern.settings import setting_for
from quern.spec import SamplingParams

from .label import text_label
from .setting_editor import TYPING_DELAY_MS, SettingEditor

FIELDS = (
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "max_tokens",
)
# Fields whose "automatic" is None in SamplingParams, and the number that stands for it in the control.
_AUTOMATIC = {"seed": -1, "max_tokens": 0}
_FIELD_WIDTH = 16 * GRID


class SamplingForm(QWidget):
    """Owns the controls; `changed` carries the whole SamplingParams, `reset` asks for the model's defaults."""

    changed = Signal(object)
    reset = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._params = SamplingParams()
        self.editors = {name: SettingEditor(setting_for(f"sampling.{name}")) for name in FIELDS}
        self.stop = QPlainTextEdit()
        self.stop.setTabChangesFocus(True)
        self.stop.setAccessibleName(self.tr("Stop strings"))
        self.stop.setPlaceholderText(self.tr("One per line; \\n is a line break"))
        self.reset_button = QPushButton(self.tr("Reset to model defaults"))
        self.reset_button.setProperty("look", "plain")
        self.reset_button.clicked.connect(self.reset)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_DELAY_MS)
        self._typing.timeout.connect(self._tell)
        self.stop.textChanged.connect(self._typing.start)
        self._lay_out()
        self._fit()
        for editor in self.editors.values():
            editor.changed.connect(self._tell)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.stop.setFixedHeight(3 * self.fontMetrics().lineSpacing() + 2 * GRID)
        for editor in self.editors.values():
            editor.setFixedWidth(scaled(_FIELD_WIDTH, self.fontMetrics().height()))

    def show_params(self, params: SamplingParams, *, is_own: bool) -> None:
        """Show `params`; `is_own` says that this chat has its own, so that there is something to reset."""
        self._params = params
        for name, editor in self.editors.items():
            value = getattr(params, name)
            editor.show_value(_AUTOMATIC[name] if value is None else value)
        text = "\n".join(_written(stop) for stop in params.stop)
        if tuple(_read(self.stop.toPlainText())) != params.stop:
            with QSignalBlocker(self.stop):
                self.stop.setPlainText(text)
        self.reset_button.setEnabled(is_own)

    def params(self) -> SamplingParams:
        """What the controls hold."""
        values = {name: self._field(name) for name in FIELDS}
        return replace(self._params, **values, stop=tuple(_read(self.stop.toPlainText())))

    def settle(self) -> None:
        """Tell at once what is still being typed."""
        if self._typing.isActive():
            self._typing.stop()
            self._tell()

    def _field(self, name: str) -> object:
        value = self.editors[name].value()
        return None if name in _AUTOMATIC and value == _AUTOMATIC[name] else value

    def _tell(self) -> None:
        params = self.params()
        if params != self._params:
            self._params = params
            self.changed.emit(params)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(GRID)
        for row, editor in enumerate(self.editors.values()):
            title = text_label(editor.setting.title)
            special = editor.setting.special
            tip = editor.setting.sentence
            if special is not None:
                tip = f"{tip} {self.tr('Automatic: {0}.').format(special.meaning)}"
            title.setToolTip(tip)
            editor.control.setToolTip(tip)
            editor.control.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            title.setBuddy(editor.control)
            grid.addWidget(title, row, 0)
            grid.addWidget(editor, row, 1)
        grid.setColumnStretch(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(grid)
        layout.addWidget(text_label(self.tr("Stop strings")))
        layout.addWidget(self.stop)
        layout.addWidget(self.reset_button, 0, Qt.AlignmentFlag.AlignLeading)


def _written(stop: str) -> str:
    return stop.replace("\\", "\\\\").replace("\n", "\\n")


def _read(text: str) -> list[str]:
    lines = (line.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\") for line in text.split("\n"))
    return [line for line in lines if line]
