"""How one row of the conversation list is drawn."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from quern.gui.theme import GRID, Colors, current_colors, icon_pixmap

from .conversation_group import ConversationItem, Heading
from .conversation_model import ConversationModel

MARK = 14
# The painter of a mirrored view mirrors alignment by itself.
LEADING = Qt.AlignmentFlag.AlignLeading
Index = QModelIndex | QPersistentModelIndex


class ConversationDelegate(QStyledItemDelegate):
    """Draws headings small and quiet, conversations with their title, snippet, pin and running dot."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The size that its content needs."""
        row = _row(index)
        line = QFontMetrics(_font(option)).height()
        if isinstance(row, Heading):
            return QSize(0, line + 2 * GRID + (0 if index.row() == 0 else GRID // 2))
        if isinstance(row, ConversationItem) and row.snippet:
            return QSize(0, 2 * line + 2 * GRID)
        return QSize(0, line + 2 * GRID)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row."""
        row = _row(index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Heading):
            self._paint_heading(painter, option, row)
        elif isinstance(row, ConversationItem):
            self._paint_conversation(painter, option, row)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """The field in which a row is renamed."""
        del option, index
        editor = QLineEdit(parent)
        editor.setAccessibleName(self.tr("New name"))
        editor.setMaxLength(200)
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """The field covers its row."""
        del index
        editor.setGeometry(_rect(option))

    def _paint_heading(self, painter: QPainter, option: QStyleOptionViewItem, row: Heading) -> None:
        font = _small(_font(option))
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(current_colors().muted))
        rect = _rect(option).adjusted(GRID + 2, 0, -GRID, -GRID // 2)
        flags = Qt.AlignmentFlag.AlignBottom | LEADING
        painter.drawText(rect, flags, row.text)

    def _paint_conversation(self, painter: QPainter, option: QStyleOptionViewItem, row: ConversationItem) -> None:
        colors = current_colors()
        rect = _rect(option)
        self._paint_ground(painter, option, rect, colors)
        inner = rect.adjusted(GRID + 2, GRID, -GRID - 2, -GRID)
        title = QRect(inner)
        title.setHeight(QFontMetrics(_font(option)).height())
        self._paint_mark(painter, option, title, row)
        has_mark = row.is_pinned or row.is_running
        room = title.width() - (MARK + GRID // 2 if has_mark else 0)
        font = _font(option)
        if _has(option, QStyle.StateFlag.State_Selected):
            font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(colors.text))
        text = QFontMetrics(font).elidedText(row.title.replace("\n", " "), Qt.TextElideMode.ElideRight, room)
        painter.drawText(_leading_part(option, title, room), Qt.AlignmentFlag.AlignVCenter | LEADING, text)
        if row.snippet:
            self._paint_snippet(painter, option, inner, row.snippet)

    def _paint_snippet(self, painter: QPainter, option: QStyleOptionViewItem, inner: QRect, snippet: str) -> None:
        font = _small(_font(option))
        painter.setFont(font)
        painter.setPen(QColor(current_colors().muted))
        text = QFontMetrics(font).elidedText(snippet, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignBottom | LEADING, text)

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect, colors: Colors) -> None:
        if _has(option, QStyle.StateFlag.State_Selected):
            painter.setBrush(QColor(colors.accent_tint))
        elif _has(option, QStyle.StateFlag.State_MouseOver):
            painter.setBrush(QColor(colors.sunken))
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
        is_focused = _has(option, QStyle.StateFlag.State_HasFocus)
        painter.setPen(QColor(colors.accent) if is_focused else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), GRID, GRID)

    def _paint_mark(self, painter: QPainter, option: QStyleOptionViewItem, title: QRect, row: ConversationItem) -> None:
        x = title.left() if _is_mirrored(option) else title.right() - MARK + 1
        top = title.center().y() - MARK // 2 + 1
        colors = current_colors()
        if row.is_running:
            painter.setBrush(QColor(colors.accent))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(x + 3, top + 3, GRID, GRID)
        elif row.is_pinned:
            painter.drawPixmap(x, top, icon_pixmap("pin", colors.muted, MARK))


def _row(index: Index) -> object:
    model = index.model()
    return model.row_at(index) if isinstance(model, ConversationModel) else None


def _rect(option: QStyleOptionViewItem) -> QRect:
    return QRect(option.rect)


def _font(option: QStyleOptionViewItem) -> QFont:
    return QFont(option.font)


def _small(font: QFont) -> QFont:
    font.setPointSizeF(font.pointSizeF() * 0.9)
    return font


def _has(option: QStyleOptionViewItem, flag: QStyle.StateFlag) -> bool:
    return bool(option.state & flag)


def _is_mirrored(option: QStyleOptionViewItem) -> bool:
    return option.direction == Qt.LayoutDirection.RightToLeft


def _leading_part(option: QStyleOptionViewItem, rect: QRect, width: int) -> QRect:
    """Return the `width` pixels of `rect` where a line of text begins."""
    left = rect.right() - width + 1 if _is_mirrored(option) else rect.left()
    return QRect(left, rect.top(), width, rect.height())
