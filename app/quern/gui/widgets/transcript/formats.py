"""Lines and runs as Qt's block and character formats, each kind made once."""

from functools import lru_cache
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTableCellFormat,
    QTextTableFormat,
)

from .chunk import Voice
from .element import Face, Gap, Line, LineRole, Marker, Run, Side
from .look import Look

GROUND = QTextFormat.Property.UserProperty + 1
QUOTES = QTextFormat.Property.UserProperty + 2
CODE_BLOCK = QTextFormat.Property.UserProperty + 3
SEPARATION = QTextFormat.Property.UserProperty + 4
MARKER = QTextFormat.Property.UserProperty + 5

DISC, UNCHECKED, CHECKED = "•", "☐", "☑"

PAD = 16
INDENT = 24
QUOTE_STEP = 16
MESSAGE_GAP = 44
GROUND_PAD = 12
CODE_PAD = 8

_GAPS = {Gap.NONE: 0, Gap.ITEM: 4, Gap.PARAGRAPH: 10}
_HEADING_SIZES = (1.5, 1.3, 1.15, 1.05, 1.0, 1.0)
_HEADING_GAPS = (24, 20, 18, 16, 16, 16)
_SMALL = 0.86
_LINE_HEIGHT = 125.0
_CODE_LINE_HEIGHT = 115.0
_CAPTION_ROLES = (LineRole.AUTHOR, LineRole.FOLD, LineRole.NOTE, LineRole.WAITING)
_SMALL_ROLES = (LineRole.AUTHOR, LineRole.FOLD, LineRole.NOTE, LineRole.CODE_LABEL)


class Ground:
    """What is painted behind a block, as bits of its GROUND property (plain integers: painting reads them a lot)."""

    USER: Final = 1
    CODE: Final = 2
    CODE_TOP: Final = 4
    REASONING: Final = 8
    RULE: Final = 16
    CAPTION: Final = 32
    MESSAGE_TOP: Final = 64
    BARRED: Final = 128
    MARKED: Final = 256


class Separation:
    """What copied text has between a block and the one before: the values of its SEPARATION property."""

    NEW_LINE: Final = 0
    NOTHING: Final = 1
    BLANK_LINE: Final = 2


class Formats:
    """Owns the formats of one look."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.block = lru_cache(maxsize=512)(self._block)
        self.character = lru_cache(maxsize=512)(self._character)

    def of_line(self, line: Line, voice: Voice) -> QTextBlockFormat:
        """The block format of `line` in a message by `voice`."""
        return self.block(_plain(line), voice)

    def of_run(self, run: Run, role: LineRole, level: int, voice: Voice) -> QTextCharFormat:
        """The character format of `run`; links carry their address."""
        shape = self.character(run.face, role, level, voice, bool(run.href))
        if not run.href:
            return shape
        link = QTextCharFormat(shape)
        link.setAnchor(True)
        link.setAnchorHref(run.href)
        return link

    def end_block(self) -> QTextBlockFormat:
        """The empty block that ends the document."""
        shape = QTextBlockFormat()
        shape.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        shape.setTopMargin(24)
        return shape

    def cell(self, side: Side, voice: Voice) -> QTextBlockFormat:
        """The block format of a table cell."""
        shape = QTextBlockFormat()
        shape.setLineHeight(_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        shape.setProperty(GROUND, _voice_ground(voice))
        absolute = Qt.AlignmentFlag.AlignAbsolute
        match side:
            case Side.LEFT:
                shape.setAlignment(Qt.AlignmentFlag.AlignLeft | absolute)
            case Side.CENTER:
                shape.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            case Side.RIGHT:
                shape.setAlignment(Qt.AlignmentFlag.AlignRight | absolute)
            case Side.NATURAL:
                pass
        return shape

    def cell_frame(self, column: int, *, rows_below: int, is_heading: bool) -> QTextTableCellFormat:
        """One cell's padding and the line under it: stronger under the heading, none under the last row."""
        shape = QTextTableCellFormat()
        shape.setLeftPadding(0 if column == 0 else 12)
        shape.setRightPadding(12)
        shape.setTopPadding(5)
        shape.setBottomPadding(5)
        if rows_below:
            shape.setBottomBorder(1)
            shape.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            shape.setBottomBorderBrush(QBrush(QColor(self.look.muted if is_heading else self.look.line)))
        return shape

    def table(self) -> QTextTableFormat:
        """The frame of a table; its only lines are under its rows."""
        shape = QTextTableFormat()
        shape.setBorder(0)
        shape.setCellPadding(0)
        shape.setCellSpacing(0)
        shape.setLeftMargin(PAD)
        shape.setRightMargin(PAD)
        shape.setTopMargin(8)
        shape.setBottomMargin(18)
        shape.setHeaderRowCount(1)
        shape.setWidth(QTextLength())
        return shape

    def _block(self, line: Line, voice: Voice) -> QTextBlockFormat:
        shape = QTextBlockFormat()
        ground = _ground(line, voice)
        shape.setProperty(GROUND, ground)
        shape.setProperty(QUOTES, line.quotes)
        shape.setProperty(CODE_BLOCK, line.block)
        shape.setProperty(SEPARATION, _separation(line))
        is_code = bool(ground & Ground.CODE)
        left = (
            PAD + QUOTE_STEP * line.quotes + (PAD if voice is Voice.REASONING and line.role is not LineRole.FOLD else 0)
        )
        left += INDENT * line.indent
        shape.setLeftMargin(left + (CODE_PAD + 4 if is_code else 0))
        shape.setRightMargin(PAD + (CODE_PAD + 4 if is_code else 0))
        shape.setTopMargin(_top(line))
        shape.setBottomMargin(_bottom(line))
        height = _CODE_LINE_HEIGHT if line.role is LineRole.CODE else _LINE_HEIGHT
        shape.setLineHeight(height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if is_code:
            shape.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        if line.role in _CAPTION_ROLES:
            side = Qt.AlignmentFlag.AlignRight if self.look.is_right_to_left else Qt.AlignmentFlag.AlignLeft
            shape.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute)
        if line.role is LineRole.FORMULA:
            shape.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        if line.role is LineRole.HEADING:
            shape.setHeadingLevel(line.level)
        if line.marker is not Marker.NONE:
            shape.setProperty(MARKER, _marker_text(line))
        return shape

    def _character(self, face: Face, role: LineRole, level: int, voice: Voice, is_link: bool) -> QTextCharFormat:
        look = self.look
        is_code = role in (LineRole.CODE, LineRole.CODE_LABEL) or Face.CODE in face
        font = QFont(look.code_font if is_code and role is not LineRole.CODE_LABEL else look.font)
        scale = _HEADING_SIZES[level - 1] if role is LineRole.HEADING else _SMALL if role in _SMALL_ROLES else 1.0
        if font.pixelSize() > 0:
            font.setPixelSize(max(1, round(font.pixelSize() * scale)))
        else:
            font.setPointSizeF(font.pointSizeF() * scale)
        if Face.BOLD in face or role in (LineRole.HEADING, LineRole.AUTHOR):
            font.setWeight(QFont.Weight.DemiBold)
        font.setItalic(bool(face & (Face.ITALIC | Face.FORMULA)))
        font.setStrikeOut(Face.STRUCK in face)
        shape = QTextCharFormat()
        shape.setFont(font)
        is_muted = role in _SMALL_ROLES or role is LineRole.WAITING or voice is Voice.REASONING or Face.MUTED in face
        color = look.muted if is_muted else look.text
        if is_link and role not in _SMALL_ROLES:
            color = look.muted if Face.MUTED in face else look.link
            shape.setFontUnderline(True)
        shape.setForeground(QColor(color))
        if Face.CODE in face and role is not LineRole.CODE:
            shape.setBackground(QColor(look.code_ground))
        return shape


def _plain(line: Line) -> Line:
    """`line` without what does not matter to its block format, so that few formats serve all lines."""
    return Line(
        (),
        line.role,
        line.level,
        line.indent,
        line.quotes,
        line.marker,
        line.number,
        line.gap,
        line.joins,
        line.block,
        line.ends_block,
    )


def _ground(line: Line, voice: Voice) -> int:
    ground = _voice_ground(voice) | _role_ground(line.role)
    if line.quotes or (voice is Voice.REASONING and line.role is not LineRole.FOLD):
        ground |= Ground.BARRED
    return ground | (Ground.MARKED if line.marker is not Marker.NONE else 0)


def _voice_ground(voice: Voice) -> int:
    match voice:
        case Voice.USER:
            return Ground.USER
        case Voice.REASONING:
            return Ground.REASONING
        case Voice.ASSISTANT:
            return 0


def _role_ground(role: LineRole) -> int:
    match role:
        case LineRole.CODE:
            return Ground.CODE
        case LineRole.CODE_LABEL:
            return Ground.CODE | Ground.CODE_TOP | Ground.CAPTION
        case LineRole.RULE:
            return Ground.RULE
        case LineRole.AUTHOR:
            return Ground.CAPTION | Ground.MESSAGE_TOP
        case LineRole.FOLD | LineRole.NOTE | LineRole.WAITING:
            return Ground.CAPTION
        case _:
            return 0


def _marker_text(line: Line) -> str:
    match line.marker:
        case Marker.NUMBER:
            return f"{line.number}."
        case Marker.UNCHECKED:
            return UNCHECKED
        case Marker.CHECKED:
            return CHECKED
        case _:
            return DISC


def _separation(line: Line) -> int:
    if line.joins:
        return Separation.NOTHING
    return Separation.BLANK_LINE if line.gap is Gap.PARAGRAPH else Separation.NEW_LINE


def _top(line: Line) -> int:
    match line.role:
        case LineRole.AUTHOR:
            return MESSAGE_GAP
        case LineRole.HEADING:
            return _HEADING_GAPS[line.level - 1]
        case LineRole.CODE_LABEL:
            return 10 + CODE_PAD
        case _:
            return _GAPS[line.gap]


def _bottom(line: Line) -> int:
    if line.ends_block:
        return 10 + CODE_PAD
    return 4 if line.role in (LineRole.AUTHOR, LineRole.CODE_LABEL) else 0
