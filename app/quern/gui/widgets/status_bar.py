"""The status bar, always true: model, device, memory, speed now, and whether Quern is offline."""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from quern.base.units import format_bytes
from quern.gui.theme import GRID
from quern.gui.theme.metrics import ICON_SMALL

from .icon_button import IconButton
from .label import ElidedLabel, Mark, text_label


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What the bar shows. `caution` says in words which safer setting is in use ("" for none).

    `used_bytes` is this process's memory, `free_bytes` what the machine still has; `tokens_per_s` is None while
    nothing is generated.
    """

    model: str = ""
    devices: tuple[str, ...] = ()
    caution: str = ""
    used_bytes: int = 0
    free_bytes: int = 0
    tokens_per_s: float | None = None
    is_offline: bool = False


class StatusBar(QWidget):
    """Owns the bar; `offline_clicked` asks for the offline setting."""

    offline_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Status"))
        self._model = ElidedLabel(look="small")
        self._device = text_label(look="small")
        self._caution_mark = Mark("warning", "warning", ICON_SMALL)
        self._caution = text_label(look="small")
        self._speed = text_label(look="small")
        self._speed_mark = Mark("speed", "muted", ICON_SMALL)
        self._memory = text_label(look="small")
        self.shield = IconButton("shield", "", tint="muted", size=ICON_SMALL)
        self.shield.clicked.connect(self.offline_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2, GRID, 2)
        layout.setSpacing(GRID)
        layout.addWidget(Mark("model", "muted", ICON_SMALL))
        layout.addWidget(self._model, 1)
        for widget in (self._device, self._caution_mark, self._caution):
            layout.addWidget(widget)
        layout.addSpacing(GRID)
        for widget in (self._speed_mark, self._speed):
            layout.addWidget(widget)
        layout.addSpacing(GRID)
        for widget in (Mark("memory", "muted", ICON_SMALL), self._memory, self.shield):
            layout.addWidget(widget)
        self.show_status(Status())

    def show_status(self, status: Status) -> None:
        """Show `status`, whole."""
        self._model.show_text(status.model or self.tr("No model loaded"))
        self._device.setText(", ".join(status.devices))
        self._caution.setText(status.caution)
        self._caution.setVisible(bool(status.caution))
        self._caution_mark.setVisible(bool(status.caution))
        is_generating = status.tokens_per_s is not None
        self._speed.setVisible(is_generating)
        self._speed_mark.setVisible(is_generating)
        self._speed.setText(self.tr("{0} tokens/s").format(f"{status.tokens_per_s or 0.0:.1f}"))
        self._memory.setText(
            self.tr("{0} used · {1} free").format(format_bytes(status.used_bytes), format_bytes(status.free_bytes))
        )
        self._show_shield(status.is_offline)

    def labels(self) -> tuple[QLabel, ...]:
        """The texts that are shown, in reading order."""
        everything = (self._model, self._device, self._caution, self._speed, self._memory)
        return tuple(label for label in everything if not label.isHidden())

    def _show_shield(self, is_offline: bool) -> None:
        if is_offline:
            self.shield.show_icon("shield-check", "accent")
            self.shield.say(self.tr("Offline: nothing but this computer can be reached"))
        else:
            self.shield.show_icon("shield", "muted")
            self.shield.say(self.tr("Connections are allowed; Quern makes none unless you ask"))
