"""Controls generated from a setting's declaration: a check box, a number box, a list or a text box."""

from typing import TypeAlias

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QHBoxLayout, QPlainTextEdit, QWidget

from quern.gui.theme import GRID, current_colors, icon_pixmap
from quern.gui.theme.metrics import ICON_SMALL
from quern.settings import Kind, Setting, SettingValue

from .switch import Switch

AnySetting: TypeAlias = Setting[bool] | Setting[int] | Setting[float] | Setting[str]
TYPING_DELAY_MS = 400
TEXT_LINES = 4


class NumberBox(QDoubleSpinBox):
    """A number with the setting's limits, step and unit; its special value is shown in words. Ignores stray wheels."""

    def __init__(self, setting: AnySetting) -> None:
        super().__init__()
        limits, special = setting.limits, setting.special
        assert limits is not None
        self._smallest = limits.minimum
        lowest = limits.minimum if special is None else min(limits.minimum, float(special.value))
        self.setDecimals(0 if setting.kind is Kind.WHOLE_NUMBER else 2)
        self.setRange(lowest, limits.maximum)
        self.setSingleStep(limits.step)
        self.setGroupSeparatorShown(setting.name not in ("seed",))
        self.setSpecialValueText("" if special is None else self.tr("Automatic"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self.setSuffix(f" {setting.unit}" if setting.unit == "×" else "")
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.lineEdit().setTextMargins(0, 0, GRID - 2, 0)

    def stepBy(self, steps: int) -> None:
        """Step over the gap between the special value and the smallest real one."""
        before = self.value()
        super().stepBy(steps)
        if self.minimum() < self.value() < self._smallest:
            self.setValue(self._smallest if self.value() > before else self.minimum())

    def held_value(self) -> float:
        """The value, moved to the smallest real one where it fell into the gap."""
        if self.minimum() < self.value() < self._smallest:
            self.setValue(self._smallest)
        return self.value()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page unless the control has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ChoiceBox(QComboBox):
    """A list that ignores the wheel of a person who scrolls past it; its arrow is one of our icons."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw."""
        super().paintEvent(event)
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        x = GRID if is_mirrored else self.width() - ICON_SMALL - GRID
        arrow = icon_pixmap("chevron-down", current_colors().muted, ICON_SMALL)
        QPainter(self).drawPixmap(x, (self.height() - ICON_SMALL) // 2, arrow)

    def showPopup(self) -> None:
        """Open the list high enough for its items: the padding that the style sheet adds is not counted by Qt."""
        super().showPopup()
        view = self.view()
        missing = self._rows_height() - view.viewport().height()
        frame = view.window()
        if missing > 0 and self.count() <= self.maxVisibleItems():
            frame.setMinimumHeight(0)
            frame.setMaximumHeight(16_777_215)
            frame.resize(frame.width(), frame.height() + missing)

    def _rows_height(self) -> int:
        view = self.view()
        return sum(view.sizeHintForRow(row) for row in range(self.count()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page unless the control has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class SettingEditor(QWidget):
    """Owns the control of one setting; `changed` when a person changed it (read `value`)."""

    changed = Signal()

    def __init__(self, setting: AnySetting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_DELAY_MS)
        self._typing.timeout.connect(self.changed)
        self.control = self._control()
        self.control.setAccessibleName(setting.title)
        self.control.setAccessibleDescription(setting.sentence)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.control)
        self._fit()
        self.show_value(setting.default)

    def value(self) -> SettingValue:
        """What the control holds, as the setting's type."""
        match self.control:
            case QCheckBox():
                return self.control.isChecked()
            case NumberBox():
                number = self.control.held_value()
                return round(number) if self.setting.kind is Kind.WHOLE_NUMBER else number
            case QComboBox():
                return str(self.control.currentData())
            case QPlainTextEdit():
                return self.control.toPlainText()
            case _:
                raise AssertionError(self.control)

    def show_value(self, value: SettingValue) -> None:
        """Show `value`; says nothing, and leaves text alone that is the same."""
        if value == self.value():
            return
        with QSignalBlocker(self.control):
            match self.control:
                case QCheckBox():
                    self.control.setChecked(bool(value))
                case NumberBox():
                    self.control.setValue(float(value))
                case QComboBox():
                    self.control.setCurrentIndex(self.control.findData(value))
                case QPlainTextEdit():
                    self.control.setPlainText(str(value))
                case _:
                    raise AssertionError(self.control)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        if isinstance(self.control, QPlainTextEdit):
            self.control.setFixedHeight(TEXT_LINES * self.fontMetrics().lineSpacing() + 2 * GRID)

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell a change that is still being typed."""
        super().hideEvent(event)
        if self._typing.isActive():
            self._typing.stop()
            self.changed.emit()

    def _tell(self) -> None:
        self.changed.emit()

    def _control(self) -> QWidget:
        match self.setting.kind:
            case Kind.TOGGLE:
                box = Switch()
                box.toggled.connect(self._tell)
                return box
            case Kind.WHOLE_NUMBER | Kind.NUMBER:
                number = NumberBox(self.setting)
                number.valueChanged.connect(self._tell)
                return number
            case Kind.CHOICE:
                choices = ChoiceBox()
                choices.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                for choice in self.setting.choices:
                    choices.addItem(choice.label, choice.value)
                choices.currentIndexChanged.connect(self._tell)
                return choices
            case Kind.TEXT:
                text = QPlainTextEdit()
                text.setTabChangesFocus(True)
                text.textChanged.connect(self._typing.start)
                return text
