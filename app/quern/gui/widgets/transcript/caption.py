"""The small lines around a message's text: who speaks, the folded reasoning, the wait, the note."""

from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QCoreApplication

from .chunk import Voice
from .display import displayed
from .element import Gap, Line, LineRole, Run
from .shown import ShownMessage, ShownState

FOLD_LINK = "quern-fold:"
PREVIOUS_LINK = "quern-previous:"
NEXT_LINK = "quern-next:"


class CaptionKind(Enum):
    """Which of the small lines it is."""

    AUTHOR = auto()
    FOLD = auto()
    WAITING = auto()
    NOTE = auto()


@dataclass(frozen=True, slots=True)
class Caption:
    """One small line; equal captions look equal. `sibling` (from 0) of `siblings` is the author's line's."""

    kind: CaptionKind
    voice: Voice
    text: str
    message_id: int
    sibling: int = 0
    siblings: int = 1

    def line(self) -> Line:
        """The caption as a line of the document."""
        match self.kind:
            case CaptionKind.AUTHOR:
                return Line((Run(displayed(self.text)), *self._switch()), LineRole.AUTHOR)
            case CaptionKind.FOLD:
                return Line((Run(self.text, href=f"{FOLD_LINK}{self.message_id}"),), LineRole.FOLD)
            case CaptionKind.WAITING:
                return Line((Run(self.text),), LineRole.WAITING)
            case CaptionKind.NOTE:
                return Line((Run(displayed(self.text)),), LineRole.NOTE, gap=Gap.ITEM)

    def _switch(self) -> tuple[Run, ...]:
        """The links that step between the answers to one question."""
        if self.siblings < 2:
            return ()
        before = Run("   ‹ ", href=f"{PREVIOUS_LINK}{self.message_id}" if self.sibling > 0 else "")
        after = Run(" ›", href=f"{NEXT_LINK}{self.message_id}" if self.sibling + 1 < self.siblings else "")
        return (before, Run(f"{self.sibling + 1}/{self.siblings}"), after)


def author_caption(shown: ShownMessage, voice: Voice) -> Caption:
    """Who speaks, and which of several answers this is."""
    name = shown.author or _tr({"user": "You", "system": "System", "tool": "Tool"}.get(shown.role, "Assistant"))
    return Caption(CaptionKind.AUTHOR, voice, name, shown.id, shown.sibling_index, shown.sibling_count)


def fold_caption(shown: ShownMessage, *, is_open: bool, has_content: bool) -> Caption:
    """The line that folds and unfolds the reasoning, with how long it took where that is known."""
    mark = "▾" if is_open else "▸"
    if shown.state is ShownState.STREAMING and not has_content and shown.reasoning_ms is None:
        text = _tr("Thinking…")
    elif shown.reasoning_ms is None:
        text = _tr("Reasoning")
    else:
        text = _tr("Thought for {seconds} s").format(seconds=max(1, round(shown.reasoning_ms / 1000)))
    return Caption(CaptionKind.FOLD, Voice.REASONING, f"{mark} {text}", shown.id)


def waiting_caption(shown: ShownMessage) -> Caption:
    """Stands where the first words of a reply will appear."""
    return Caption(CaptionKind.WAITING, Voice.ASSISTANT, "…", shown.id)


def note_caption(shown: ShownMessage, voice: Voice) -> Caption:
    """The note below the text."""
    return Caption(CaptionKind.NOTE, voice, shown.note, shown.id)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Transcript", text)
