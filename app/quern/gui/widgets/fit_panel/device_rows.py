"""One bar for each device with its name and what is left; the key to the parts stands elsewhere."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.widgets.label import ElidedLabel, relook, text_label

from .bar import DeviceBar
from .legend import Legend
from .segment import DeviceView


class DeviceRow(QWidget):
    """Owns one device's name, figures and bar."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = ElidedLabel()
        self.summary = text_label(look="small")
        self.bar = DeviceBar()
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self.label, 1)
        head.addWidget(self.summary)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(head)
        layout.addWidget(self.bar)

    def show_device(self, view: DeviceView) -> None:
        """Show `view`."""
        self.label.show_text(view.label)
        self.summary.setText(view.summary)
        relook(self.summary, "small-danger" if view.over else "small")
        self.bar.show_device(view)


class DeviceRows(QWidget):
    """Owns the bars, and is told the legend that belongs to them: what is pointed at in one is lit in all."""

    def __init__(self, legend: Legend, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[DeviceRow] = []
        self._legend = legend
        legend.pointed.connect(self._light)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GRID)

    def show_devices(self, views: Sequence[DeviceView]) -> None:
        """Show `views`, rows being kept."""
        while len(self._rows) < len(views):
            row = DeviceRow()
            row.bar.pointed.connect(self._light)
            self._column.addWidget(row)
            self._rows.append(row)
        for index, row in enumerate(self._rows):
            row.setVisible(index < len(views))
            if index < len(views):
                row.show_device(views[index])
        self._legend.show_devices(views)

    def bars(self) -> tuple[DeviceBar, ...]:
        """The bars that are shown."""
        return tuple(row.bar for row in self._rows if not row.isHidden())

    def _light(self, key: str) -> None:
        self._legend.light(key)
        for row in self._rows:
            row.bar.light(key)
