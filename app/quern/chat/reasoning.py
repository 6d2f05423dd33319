"""Splits a streamed reply into its reasoning and its content, at tags that may arrive in pieces."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from quern.spec import TextPiece

# Opening and closing tag of each dialect. Tags that a vocabulary marks as control tokens never reach the text.
_TAGS = (
    ("<think>", "</think>"),
    ("[THINK]", "[/THINK]"),
    ("<mm:think>", "</mm:think>"),
    ("<seed:think>", "</seed:think>"),
    ("<think:opensource>", "</think:opensource>"),
    ("◁think▷", "◁/think▷"),
)


class DeltaKind(Enum):
    """What a piece of a reply is."""

    CONTENT = auto()
    REASONING = auto()


@dataclass(frozen=True, slots=True)
class Delta:
    """More text of one kind."""

    kind: DeltaKind
    text: str


class ReplyOpening(Enum):
    """What a reply's first character belongs to: UNDECIDED until the reply opens a reasoning part or does not."""

    UNDECIDED = auto()
    REASONING = auto()


def opening_of(pieces: Sequence[TextPiece]) -> ReplyOpening:
    """Return REASONING when the prompt ends with an opening tag, as some templates do: the reply starts inside."""
    tail = pieces[-1].text.rstrip() if pieces else ""
    return ReplyOpening.REASONING if any(tail.endswith(opening) for opening, _ in _TAGS) else ReplyOpening.UNDECIDED


class _Phase(Enum):
    BEFORE = auto()
    REASONING = auto()
    CONTENT = auto()


class ReasoningSplitter:
    """Owns the state of one reply. Only the beginning of a reply can open a reasoning part, and only once.

    White space around the tags is dropped; a reply without reasoning comes out as it went in.
    """

    def __init__(self, opening: ReplyOpening = ReplyOpening.UNDECIDED) -> None:
        self._phase = _Phase.REASONING if opening is ReplyOpening.REASONING else _Phase.BEFORE
        self._closings = tuple(closing for _, closing in _TAGS)
        self._held = ""
        self._at_start = True

    @property
    def is_reasoning(self) -> bool:
        """Whether the next text is taken for reasoning."""
        return self._phase is _Phase.REASONING

    def feed(self, text: str) -> tuple[Delta, ...]:
        """Return what `text` adds, whole tags only: a possible beginning of a tag is held back until it is decided."""
        self._held += text
        deltas: list[Delta] = []
        while self._advance(deltas):
            pass
        return tuple(deltas)

    def finish(self) -> tuple[Delta, ...]:
        """Return what was still held back, now that nothing follows."""
        held, self._held = self._held, ""
        kind = DeltaKind.REASONING if self._phase is _Phase.REASONING else DeltaKind.CONTENT
        if kind is DeltaKind.REASONING:
            held = held.rstrip()
        elif self._phase is _Phase.BEFORE:
            self._at_start = False
        return self._deltas(kind, held)

    def _advance(self, deltas: list[Delta]) -> bool:
        """Take what can be decided from the held text; tell whether the phase changed, so that more may follow."""
        match self._phase:
            case _Phase.BEFORE:
                return self._decide_opening()
            case _Phase.REASONING:
                return self._read_reasoning(deltas)
            case _Phase.CONTENT:
                held, self._held = self._held, ""
                deltas += self._deltas(DeltaKind.CONTENT, held)
                return False

    def _decide_opening(self) -> bool:
        start = self._held.lstrip()
        for opening, closing in _TAGS:
            if start.startswith(opening):
                self._enter(_Phase.REASONING, start[len(opening) :])
                self._closings = (closing,)
                return True
        if any(opening.startswith(start) for opening, _ in _TAGS):
            return False
        self._phase = _Phase.CONTENT
        self._at_start = False
        return True

    def _read_reasoning(self, deltas: list[Delta]) -> bool:
        ends = [(self._held.find(closing), closing) for closing in self._closings]
        found = min((end for end in ends if end[0] >= 0), default=None)
        if found is not None:
            at, closing = found
            deltas += self._deltas(DeltaKind.REASONING, self._held[:at].rstrip())
            self._enter(_Phase.CONTENT, self._held[at + len(closing) :])
            return True
        keep = len(self._held) - _undecided_tail(self._held, self._closings)
        keep = len(self._held[:keep].rstrip())
        deltas += self._deltas(DeltaKind.REASONING, self._held[:keep])
        self._held = self._held[keep:]
        return False

    def _enter(self, phase: _Phase, rest: str) -> None:
        self._phase = phase
        self._held = rest
        self._at_start = True

    def _deltas(self, kind: DeltaKind, text: str) -> tuple[Delta, ...]:
        if self._at_start:
            text = text.lstrip()
        if not text:
            return ()
        self._at_start = False
        return (Delta(kind, text),)


def _undecided_tail(text: str, tags: Sequence[str]) -> int:
    """Return the length of the longest end of `text` that may be the beginning of one of `tags`."""
    longest = max(len(tag) for tag in tags) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(tag.startswith(text[-length:]) for tag in tags):
            return length
    return 0
