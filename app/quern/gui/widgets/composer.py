"""The composer: text box, send or stop button, and how much of the context a message would take."""

from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from quern.base.units import format_count
from quern.gui.theme import GRID

from .composer_edit import ComposerEdit
from .icon_button import IconButton
from .label import ElidedLabel, relook, text_label


class ComposerState(Enum):
    """What Enter does: send, nothing but wait for the model to load, or nothing while a reply is written."""

    READY = auto()
    WAITING = auto()
    RUNNING = auto()


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens that would be sent, of `limit` that one request may hold."""

    n_tokens: int
    limit: int

    @property
    def overflows(self) -> bool:
        """Whether no token of a reply would fit."""
        return self.n_tokens >= self.limit


class Composer(QFrame):
    """Owns the draft. `sent` carries the text of a new message, `edited` the new text of an old one.

    A text leaves the box by `accept`, when it is on its way: what is typed meanwhile stays, and a refused message is
    not lost. `stopped` asks to stop the reply; `drafted` follows every change of a new message's text, `written` of
    whatever is in the box; `edit_given_up` says that an edit was cancelled.
    """

    sent = Signal(str)
    edited = Signal(str)
    stopped = Signal()
    drafted = Signal(str)
    written = Signal()
    edit_given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "composer")
        self._state = ComposerState.READY
        self._kept_draft: str | None = None
        self._edited_text = ""
        self._sent_at = QElapsedTimer()
        self.edit = ComposerEdit()
        self.edit.setAccessibleName(self.tr("Message"))
        self.edit.setPlaceholderText(self.tr("Write a message"))
        self.button = IconButton("send", self.tr("Send"), tint="on_accent")
        self.button.setProperty("look", "send")
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.note = ElidedLabel(look="small")
        self._editing = text_label(self.tr("Editing your message"), "section")
        self._cancel_edit = QPushButton(self.tr("Cancel"))
        self._cancel_edit.setProperty("look", "plain")
        self._lay_out()
        self.edit.installEventFilter(self)
        self.edit.submitted.connect(self._submit)
        self.edit.escaped.connect(self.escape)
        self.edit.textChanged.connect(self._on_text_changed)
        self.button.clicked.connect(self._on_button)
        self._cancel_edit.clicked.connect(self.end_edit)
        self._show_button()

    @property
    def text(self) -> str:
        """What is in the box."""
        return self.edit.toPlainText()

    @property
    def is_editing(self) -> bool:
        """Whether the box holds an old message that is being edited."""
        return self._kept_draft is not None

    def show_draft(self, text: str) -> None:
        """Put a stored draft into the box, or keep it for the end of an edit."""
        if self._kept_draft is not None:
            self._kept_draft = text
        elif text != self.text:
            self._fill(text)

    def begin_edit(self, text: str) -> None:
        """Edit the old message `text`; the draft comes back afterwards."""
        if self._kept_draft is None:
            self._kept_draft = self.text
        self._show_editing()
        self._fill(text)
        self.edit.setFocus()

    def end_edit(self) -> None:
        """Give up an edit and bring the draft back."""
        if self._kept_draft is not None:
            self._leave_edit(self._kept_draft)
            self.edit_given_up.emit()

    def accept(self, text: str) -> None:
        """The new message `text` is on its way: take it out of the box; what else was typed stays."""
        if self._kept_draft is None:
            self._keep(_without(self.text, text))
        else:
            self._kept_draft = _without(self._kept_draft, text)
            self.drafted.emit(self._kept_draft)

    def accept_edit(self, text: str) -> None:
        """The edited message `text` is on its way: bring the draft back; what else was typed is put behind it."""
        if self._kept_draft is not None:
            draft = self._kept_draft
            self._leave_edit(draft)
            if rest := _without(self._edited_text, text):
                self._keep(f"{draft}\n{rest}" if draft else rest)

    def put_in_front(self, text: str) -> None:
        """Bring `text` back, in front of what was typed since."""
        draft = self.text if self._kept_draft is None else self._kept_draft
        draft = f"{text}\n{draft}" if draft else text
        if self._kept_draft is None:
            self._keep(draft)
        else:
            self._kept_draft = draft
            self.drafted.emit(draft)

    def take_out(self) -> str:
        """Empty the box, to carry its text elsewhere; after an edit the draft stays."""
        text = self.text
        if self.is_editing:
            self.end_edit()
        else:
            self._keep("")
        return text

    def submit(self) -> None:
        """Do what Enter does."""
        self._submit()

    def show_state(self, state: ComposerState) -> None:
        """Show what Enter and the button do now."""
        self._state = state
        self._show_button()

    def show_note(self, text: str, *, is_alarming: bool = False) -> None:
        """Show one small line under the box."""
        relook(self.note, "small-danger" if is_alarming else "small")
        self.note.show_text(text)

    def show_count(self, count: TokenCount | None) -> None:
        """Show what would be sent against the limit; None clears it."""
        if count is None:
            self.show_note("")
            return
        counted = self.tr("{0} of {1} tokens").format(format_count(count.n_tokens), format_count(count.limit))
        if count.overflows:
            advice = self.tr("too long: start a new chat or load the model with a larger context")
            self.show_note(f"{counted}: {advice}", is_alarming=True)
        else:
            self.show_note(counted)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the watched widget."""
        if watched is self.edit and event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.setProperty("focused", event.type() == QEvent.Type.FocusIn)
            self.style().unpolish(self)
            self.style().polish(self)
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self._editing)
        top.addStretch(1)
        top.addWidget(self._cancel_edit)
        bottom = QHBoxLayout()
        bottom.setSpacing(GRID)
        bottom.addWidget(self.note, 1)
        bottom.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID + 4, GRID + 2, GRID)
        layout.setSpacing(GRID // 2)
        layout.addLayout(top)
        layout.addWidget(self.edit)
        layout.addLayout(bottom)
        self._show_editing()

    def _fill(self, text: str) -> None:
        self.edit.blockSignals(True)
        self.edit.setPlainText(text)
        self.edit.blockSignals(False)
        self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)
        self._show_button()
        self.written.emit()

    def _keep(self, draft: str) -> None:
        self._fill(draft)
        self.drafted.emit(draft)

    def _leave_edit(self, draft: str) -> None:
        self._edited_text, self._kept_draft = self.text, None
        self._show_editing()
        self._fill(draft)

    def _show_editing(self) -> None:
        self._editing.setVisible(self.is_editing)
        self._cancel_edit.setVisible(self.is_editing)

    def _show_button(self) -> None:
        is_running = self._state is ComposerState.RUNNING
        has_text = bool(self.text.strip())
        self.button.setEnabled(is_running or has_text)
        self.button.show_icon("stop" if is_running else "send")
        if is_running:
            self.button.say(self.tr("Stop the reply"), "Esc")
        else:
            self.button.say(self.tr("Send"), "Return")

    def _on_text_changed(self) -> None:
        self._show_button()
        self.written.emit()
        if not self.is_editing:
            self.drafted.emit(self.text)

    def _on_button(self) -> None:
        """Send or stop; the second half of a double click on Send stops nothing (UI-10)."""
        if self._state is not ComposerState.RUNNING:
            self._sent_at.start()
            self._submit()
        elif not self._sent_at.isValid() or self._sent_at.hasExpired(QApplication.doubleClickInterval()):
            self.stopped.emit()
        # The button is about to be disabled: what is typed next belongs in the box.
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _submit(self) -> None:
        if self._state is ComposerState.RUNNING or not self.text.strip():
            return
        (self.edited if self.is_editing else self.sent).emit(self.text)

    def escape(self) -> None:
        """Do what Esc does: stop the reply, take a waiting message back, or give an edit up."""
        if self._state is not ComposerState.READY:
            self.stopped.emit()
        elif self.is_editing:
            self.end_edit()


def _without(typed: str, sent: str) -> str:
    """Return what of `typed` was not sent: the rest after it or before it, or all where `sent` was changed since."""
    if typed.startswith(sent):
        return typed.removeprefix(sent)
    return typed.removesuffix(sent)
