"""What the last load really took, beside what was estimated for it: one quiet line for each device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale
from PySide6.QtWidgets import QVBoxLayout, QWidget

from quern.base.units import format_bytes, format_count
from quern.fit import HOST
from quern.gui.theme import GRID
from quern.gui.widgets.label import text_label

if TYPE_CHECKING:
    from quern.runtime import MeasuredLoad


class MeasuredLines(QWidget):
    """Owns the lines; hidden where no load was measured."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = text_label(look="section")
        self.note = text_label(look="small", wraps=True)
        self.lines = text_label(look="small", wraps=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.title)
        layout.addWidget(self.note)
        layout.addWidget(self.lines)
        self.hide()

    def show_load(self, load: MeasuredLoad | None) -> None:
        """Show `load`."""
        self.setVisible(load is not None)
        if load is None:
            return
        when = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(load.loaded_at)), QLocale.FormatType.ShortFormat)
        self.title.setText(self.tr("Last load"))
        context = format_count(load.settings.n_ctx_cells or 0)
        told = self.tr("{0}, context {1}, KV cache {2}; without the part called Engine")
        self.note.setText(told.format(when, context, load.settings.type_k.value))
        self.lines.setText("\n".join(self._lines(load)))

    def _lines(self, load: MeasuredLoad) -> list[str]:
        estimated = {need.device: need.needs.total for need in load.estimated}
        lines = [
            self.tr("{0}: {1}").format(
                self.tr("Memory") if need.device == HOST else need.device,
                self._beside(need.needs.total, estimated.get(need.device)),
            )
            for need in load.measured
        ]
        if load.resident_bytes > 0:
            lines.append(self.tr("Quern's own memory grew by {0}.").format(format_bytes(load.resident_bytes)))
        return lines

    def _beside(self, measured: int, estimated: int | None) -> str:
        if estimated is None:
            return self.tr("{0} measured").format(format_bytes(measured))
        difference = measured - estimated
        share = f"{100 * difference / estimated:+.1f} %" if estimated else format_bytes(difference)
        told = self.tr("{0} measured, {1} estimated ({2})")
        return told.format(format_bytes(measured), format_bytes(estimated), share)
