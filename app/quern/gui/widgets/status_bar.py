"""The status bar, always true: model, device, memory, speed now, and whether Quern is offline."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QWidget

from quern.base.units import format_bytes
from quern.gui.theme import GRID
from quern.gui.theme.metrics import ICON_SMALL

from .icon_button import IconButton
from .label import ElidedLabel, Mark, text_label

# Small text beside normal text, as the style sheet has it.
SMALL = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What the bar shows. `caution` says why a safer setting is in use, as a clause ("" where none is).

    `used_bytes` is this process's memory, `free_bytes` what the machine still has, both None until they are measured;
    `tokens_per_s` is None while nothing is generated.
    """

    model: str = ""
    devices: tuple[str, ...] = ()
    caution: str = ""
    used_bytes: int | None = None
    free_bytes: int | None = None
    tokens_per_s: float | None = None
    is_offline: bool = False


class StatusBar(QWidget):
    """Owns the bar; `offline_clicked` asks for the offline setting, `caution_clicked` for what is known about it."""

    offline_clicked = Signal()
    caution_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Status"))
        self._model = ElidedLabel(look="small")
        self._device = text_label(look="small")
        self.caution = IconButton("info", "", size=ICON_SMALL)
        self.caution.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.caution.clicked.connect(self.caution_clicked)
        self._speed = text_label(look="small")
        self._speed_mark = Mark("speed", "muted", ICON_SMALL)
        self._memory = text_label(look="small")
        self._memory_mark = Mark("memory", "muted", ICON_SMALL)
        self.shield = IconButton("shield", "", tint="muted", size=ICON_SMALL)
        self.shield.clicked.connect(self.offline_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2, GRID, 2)
        layout.setSpacing(GRID)
        layout.addWidget(Mark("model", "muted", ICON_SMALL))
        layout.addWidget(self._model, 1)
        for widget in (self._device, self.caution):
            layout.addWidget(widget)
        layout.addSpacing(GRID)
        for widget in (self._speed_mark, self._speed):
            layout.addWidget(widget)
        layout.addSpacing(GRID)
        for widget in (self._memory_mark, self._memory, self.shield):
            layout.addWidget(widget)
        self._fit()
        self.show_status(Status())

    def show_status(self, status: Status) -> None:
        """Show `status`, whole."""
        self._model.show_text(status.model or self.tr("No model loaded"))
        self._device.setText(", ".join(status.devices))
        self._show_caution(status.caution)
        is_generating = status.tokens_per_s is not None
        self._speed.setVisible(is_generating)
        self._speed_mark.setVisible(is_generating)
        self._speed.setText(self.tr("{0} tokens/s").format(f"{status.tokens_per_s or 0.0:.1f}"))
        self._show_memory(status.used_bytes, status.free_bytes)
        self._show_shield(status.is_offline)

    def labels(self) -> tuple[QLabel | QAbstractButton, ...]:
        """The texts that are shown, in reading order."""
        everything = (self._model, self._device, self.caution, self._speed, self._memory)
        return tuple(label for label in everything if not label.isHidden())

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font, once the style sheet has given every part its own."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            QTimer.singleShot(0, self, self._fit)

    def _fit(self) -> None:
        """The words on the button are as small as those beside it."""
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * SMALL)
        self.caution.setFont(font)

    def _show_caution(self, why: str) -> None:
        words = self.tr("safe mode")
        self.caution.setText(words)
        told = self.tr("{0}, so Quern runs without them. Everything works, a little slower. Click to see more.")
        self.caution.say(told.format(why[:1].upper() + why[1:]))
        self.caution.setAccessibleName(words)
        self.caution.setAccessibleDescription(self.caution.toolTip())
        self.caution.setVisible(bool(why))

    def _show_memory(self, used_bytes: int | None, free_bytes: int | None) -> None:
        is_known = used_bytes is not None and free_bytes is not None
        self._memory.setVisible(is_known)
        self._memory_mark.setVisible(is_known)
        self._memory.setText(
            self.tr("{0} used · {1} free").format(format_bytes(used_bytes or 0), format_bytes(free_bytes or 0))
        )

    def _show_shield(self, is_offline: bool) -> None:
        if is_offline:
            self.shield.show_icon("shield-check", "accent")
            self.shield.say(self.tr("Offline: nothing but this computer can be reached"))
        else:
            self.shield.show_icon("shield", "muted")
            self.shield.say(self.tr("Connections are allowed; Quern makes none unless you ask"))
