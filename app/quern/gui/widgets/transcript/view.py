"""The transcript widget: a chat's messages, streamed, selectable, searchable, at any length."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from quern.gui.theme import colors_of

from .browser import TranscriptBrowser
from .caption import FOLD_LINK, NEXT_LINK, PREVIOUS_LINK
from .coloring import Coloring
from .finder import Finder
from .formats import Formats
from .look import look_of
from .markdown import is_safe_link
from .message import TranscriptMessage
from .overlay import CodePlace, Overlay
from .pace import Pace, work_clock
from .ring import FocusRing
from .scroller import Scroller
from .shown import FindDirection, ShownMessage
from .strip import MessageAction
from .window import Place, TranscriptWindow
from .writer import Writer

_LOOK_EVENTS = (
    QEvent.Type.PaletteChange,
    QEvent.Type.FontChange,
    QEvent.Type.StyleChange,
    QEvent.Type.LayoutDirectionChange,
)


@dataclass(slots=True)
class _Pending:
    """What a reply grew by since it was last drawn."""

    content: list[str] = field(default_factory=list[str])
    reasoning: list[str] = field(default_factory=list[str])


class TranscriptView(QWidget):
    """Shows one chat. Ids in signals are `ShownMessage.id`; steps between siblings are -1 and 1.

    `link_activated` carries an http, https or mailto address that the person chose; whoever receives it shows the
    address and asks before opening it.
    """

    copy_requested = Signal(object)
    edit_requested = Signal(object)
    regenerate_requested = Signal(object)
    delete_requested = Signal(object)
    sibling_requested = Signal(object, int)
    link_activated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text_scale = 1.0
        look = look_of(self.palette(), self.font(), self.layoutDirection())
        self.browser = TranscriptBrowser(look, self)
        self._window = TranscriptWindow(self.browser.document(), Writer(self.browser.document(), Formats(look)))
        self._scroller = Scroller(self.browser, self._window)
        self.overlay = Overlay(self.browser, self._window, self._scroller)
        self._coloring = Coloring(self.browser.document(), self._window, look)
        self._finder = Finder(self.browser, self._window, self._scroller)
        self.ring = FocusRing(self.browser, self)
        self._pace = Pace(self._draw_pending, self)
        self._pending: dict[int, _Pending] = {}
        self._numbers: dict[int, int] = {}
        self._lay_out()
        self._connect()
        self.overlay.restyle(colors_of(self.palette()))

    def show_messages(self, messages: Sequence[ShownMessage]) -> None:
        """Show another chat, at its end."""
        self._pending.clear()
        self._window.messages = [TranscriptMessage(message) for message in messages]
        self._renumber()
        self._window.clear()
        self.overlay.forget()
        self._scroller.is_following = True
        if messages:
            self._scroller.follow()
        self._coloring.look_again()

    def append_message(self, message: ShownMessage) -> None:
        """Add a message at the end; a person's own brings the view there."""
        was_whole = self._window.reaches_end
        self._numbers[message.id] = len(self._window.messages)
        self._window.messages.append(TranscriptMessage(message))
        if not self._window.placed or message.role == "user":
            self._scroller.follow()
        elif was_whole:
            with self._scroller.holding():
                self._window.extend_down()
        self._coloring.look_again()

    def replace_message(self, message: ShownMessage) -> None:
        """Show `message` in the place of the one with its id (nothing if none has); only what differs is redrawn."""
        number = self._numbers.get(message.id)
        if number is None:
            return
        self._pending.pop(message.id, None)
        with self._scroller.holding():
            self._window.change(number, lambda: self._window.messages[number].become(message))
        if self.overlay.message == number:
            self.overlay.choose(number)
        self._settle()

    def truncate_from(self, message_id: int) -> None:
        """Take the message with this id and all after it out (nothing if there is none)."""
        number = self._numbers.get(message_id)
        if number is None:
            return
        first = next((at for at, one in enumerate(self._window.placed) if one.place.message >= number), None)
        with self._scroller.holding():
            if first is not None:
                self._window.drop(first, len(self._window.placed))
            del self._window.messages[number:]
        self._renumber()
        self.overlay.forget()
        if self._window.messages and not self._window.placed:
            self._scroller.follow()
        self._settle()

    def grow_reply(self, message_id: int, content_delta: str, reasoning_delta: str) -> None:
        """Append to a message; drawn soon, many at once. An id that is not shown is let go."""
        if message_id not in self._numbers:
            return
        pending = self._pending.get(message_id)
        if pending is None:
            pending = self._pending[message_id] = _Pending()
        pending.content.append(content_delta)
        pending.reasoning.append(reasoning_delta)
        self._pace.ask()

    def find(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, text: str, direction: FindDirection = FindDirection.FORWARD
    ) -> bool:
        """Select the next occurrence in the whole chat and bring it into view; False if there is none."""
        self._pace.draw_now()
        return self._finder.find(text, direction)

    def scroll_to_message(self, message_id: int) -> None:
        """Bring a message's first line to the top (nothing if it is not there)."""
        if message_id in self._numbers:
            self._scroller.go_to(Place(self._numbers[message_id], 0))

    def text_of(self, message_id: int) -> str:
        """A message's exact source; raises KeyError for an id that is not shown."""
        self._pace.draw_now()
        return self._window.messages[self._numbers[message_id]].content

    def copy_text(self, message_id: int) -> None:
        """Put a message's exact source on the clipboard."""
        QApplication.clipboard().setText(self.text_of(message_id))

    def set_text_scale(self, scale: float) -> None:
        """Draw all text at `scale` times the widget's font."""
        self._text_scale = scale
        self._restyle()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette, the font and the layout's direction."""
        super().changeEvent(event)
        if event.type() in _LOOK_EVENTS:
            self._restyle()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.browser)
        self.setFocusProxy(self.browser)
        self.browser.setAccessibleName(self.tr("Conversation"))
        self.browser.setAccessibleDescription(
            self.tr(
                "The messages of this chat. Ctrl+Up and Ctrl+Down step through them, with Shift through code; "
                "Tab reaches what can be done. F7 gives a caret."
            )
        )

    def _connect(self) -> None:
        self.browser.anchorClicked.connect(self._open)
        self.browser.painted.connect(self._pace.spend)
        self.browser.start_asked.connect(self._scroller.go_to_start)
        self.browser.end_asked.connect(self._scroller.follow)
        self.browser.step_asked.connect(self._step)
        self.browser.all_selected.connect(self._select_everything)
        self.browser.resized.connect(self._scroller.resized)
        self.overlay.strip.chosen.connect(self._act)
        self.overlay.jump_asked.connect(self._scroller.follow)
        self.overlay.give_code(self._code_block)
        self._scroller.moved.connect(self._coloring.look_again)

    def _renumber(self) -> None:
        self._numbers = {message.id: number for number, message in enumerate(self._window.messages)}
        self._finder.forget()

    def _draw_pending(self) -> None:
        """Draw what the replies grew by, in one go each."""
        started = work_clock()
        pending, self._pending = self._pending, {}
        for message_id, grown in pending.items():
            number = self._numbers.get(message_id)
            if number is not None:
                self._grow(number, "".join(grown.content), "".join(grown.reasoning))
        self._settle()
        self._pace.spend(work_clock() - started)

    def _grow(self, number: int, content: str, reasoning: str) -> None:
        with self._scroller.holding():
            self._window.change(number, lambda: self._window.messages[number].grow(content, reasoning))

    def _settle(self) -> None:
        self._scroller.fill()
        self.overlay.replace()
        self._coloring.look_again()

    def _restyle(self) -> None:
        """Draw everything anew if the look changed, with the same text in view."""
        font = QFont(self.font())
        if font.pixelSize() > 0:
            font.setPixelSize(max(1, round(font.pixelSize() * self._text_scale)))
        else:
            font.setPointSizeF(font.pointSizeF() * self._text_scale)
        look = look_of(self.palette(), font, self.layoutDirection())
        if look == self.browser.look:
            return
        self.browser.restyle(look)
        self._coloring.look = look
        self._window.writer.formats = Formats(look)
        self.overlay.restyle(colors_of(self.palette()))
        self._scroller.rebuild()
        self._coloring.look_again()

    def _open(self, url: QUrl) -> None:
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        if is_safe_link(address):
            self.link_activated.emit(address)
            return
        kind, _, message_id = address.partition(":")
        match f"{kind}:":
            case str(link) if link == FOLD_LINK:
                self._toggle_fold(self._numbers[int(message_id)])
            case str(link) if link in (PREVIOUS_LINK, NEXT_LINK):
                self.sibling_requested.emit(int(message_id), -1 if link == PREVIOUS_LINK else 1)
            case _:
                pass

    def _toggle_fold(self, number: int) -> None:
        self._scroller.is_following = False
        with self._scroller.holding():
            self._window.change(number, self._window.messages[number].toggle_fold)
        self._settle()

    def _act(self, action: MessageAction) -> None:
        if self.overlay.message is None:
            return
        message_id = self._window.messages[self.overlay.message].id
        match action:
            case MessageAction.COPY:
                self.copy_text(message_id)
                self.copy_requested.emit(message_id)
            case MessageAction.EDIT:
                self.edit_requested.emit(message_id)
            case MessageAction.REGENERATE:
                self.regenerate_requested.emit(message_id)
            case MessageAction.DELETE:
                self.delete_requested.emit(message_id)
            case MessageAction.PREVIOUS:
                self.sibling_requested.emit(message_id, -1)
            case MessageAction.NEXT:
                self.sibling_requested.emit(message_id, 1)

    def _step(self, step: int) -> None:
        """Make the next or previous message the current one and bring it into view."""
        if not self._window.messages:
            return
        last = len(self._window.messages) - 1
        current = self.overlay.message
        number = last if current is None else min(last, max(0, current + step))
        self._scroller.go_to(Place(number, 0))
        self.overlay.choose(number)

    def _select_everything(self) -> None:
        self.browser.everything = "\n\n".join(message.content for message in self._window.messages)

    def _code_block(self, place: CodePlace) -> str:
        return self._window.messages[place.message].code_block(place.voice, place.block)
