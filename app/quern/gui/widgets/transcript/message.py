"""One message as a flat list of segments, read only as far as it is shown."""

from dataclasses import replace

from .caption import Caption, author_caption, fold_caption, note_caption, waiting_caption
from .chunk import Chunk, ChunkKind, Voice
from .chunker import Chunker
from .code import closed, code_label, code_lines
from .display import LINE_BREAK, displayed
from .element import Element, Face, Gap, Line, LineRole, Run
from .formula import legible
from .inline import linked, merged
from .prose import read_prose
from .shown import ShownMessage, ShownState

Segment = Chunk | Caption


class TranscriptMessage:
    """Owns one message's source, its chunks (cut on first use) and whether its reasoning is unfolded."""

    def __init__(self, shown: ShownMessage) -> None:
        self._is_unfolded = False
        self._segments: list[Segment] | None = None
        self._shown = shown
        self._content: Chunker | str = shown.content
        self._reasoning: Chunker | str = shown.reasoning

    @property
    def id(self) -> int:
        """The message's id."""
        return self._shown.id

    @property
    def shown(self) -> ShownMessage:
        """The message as it was last given; its texts may have grown since (see `content`)."""
        return self._shown

    @property
    def is_unfolded(self) -> bool:
        """Whether the reasoning is shown."""
        return self._is_unfolded

    def toggle_fold(self) -> None:
        """Show or hide the reasoning."""
        self._is_unfolded = not self._is_unfolded
        self._segments = None

    @property
    def voice(self) -> Voice:
        """Who speaks in the main text."""
        return Voice.USER if self._shown.role == "user" else Voice.ASSISTANT

    @property
    def content(self) -> str:
        """The exact source of the main text."""
        return _text(self._content)

    @property
    def reasoning(self) -> str:
        """The exact source of the reasoning."""
        return _text(self._reasoning)

    def grow(self, content_delta: str, reasoning_delta: str) -> None:
        """Append to the texts; only what is unfinished is cut again."""
        self._segments = None
        if content_delta:
            self._chunks(self.voice).feed(content_delta)
        if reasoning_delta:
            self._chunks(Voice.REASONING).feed(reasoning_delta)

    def become(self, shown: ShownMessage) -> None:
        """Take over `shown`, keeping what is cut already if its texts only grew."""
        self._segments = None
        self._shown = shown
        self._content = _grown(self._content, shown.content)
        self._reasoning = _grown(self._reasoning, shown.reasoning)

    @property
    def is_behind(self) -> bool:
        """Whether a long text is not cut to its end yet (see `go_on`)."""
        return any(isinstance(source, Chunker) and source.is_behind for source in (self._content, self._reasoning))

    def go_on(self) -> None:
        """Cut more of a long text; bounded work."""
        self._segments = None
        for source in (self._content, self._reasoning):
            if isinstance(source, Chunker) and source.is_behind:
                source.go_on()
                return

    def finish(self) -> None:
        """Cut all of the text, however long."""
        self._chunks(self.voice).finish()
        self._segments = None

    def segments(self) -> list[Segment]:
        """Author, reasoning (its fold, and its chunks if unfolded), text, note; equal segments look equal."""
        if self._segments is None:
            self._segments = self._listed()
        return self._segments

    def _listed(self) -> list[Segment]:
        voice = self.voice
        result: list[Segment] = [author_caption(self._shown, voice)]
        if self.reasoning:
            result.append(fold_caption(self._shown, is_open=self.is_unfolded, has_content=bool(self.content)))
            if self._is_unfolded:
                result.extend(self._chunks(Voice.REASONING).chunks)
        result.extend(self._chunks(voice).chunks)
        if self._shown.state is ShownState.STREAMING and not self.content and not self.reasoning:
            result.append(waiting_caption(self._shown))
        if self._shown.note:
            result.append(note_caption(self._shown, voice))
        return result

    def elements(self, segment: Segment) -> tuple[Element, ...]:
        """What `segment` looks like."""
        if isinstance(segment, Caption):
            return (segment.line(),)
        source = self.source_of(segment)
        match segment.kind:
            case ChunkKind.PROSE:
                return _joined(read_prose(segment.preface + source), segment)
            case ChunkKind.VERBATIM:
                return _joined(tuple(_verbatim(source)), segment)
            case ChunkKind.FORMULA:
                return (_formula(source),)
            case ChunkKind.CODE:
                return _code(source, segment)

    def source_of(self, chunk: Chunk) -> str:
        """The source that `chunk` shows."""
        return self._chunks(chunk.voice).text_of(chunk)

    def code_block(self, voice: Voice, block: int) -> str:
        """A code block of the main text or the reasoning, byte for byte."""
        return self._chunks(voice).code_block(block)

    def _chunks(self, voice: Voice) -> Chunker:
        if voice is Voice.REASONING:
            if isinstance(self._reasoning, str):
                self._reasoning = Chunker(voice, self._reasoning)
            return self._reasoning
        if isinstance(self._content, str):
            self._content = Chunker(voice, self._content)
        return self._content


def _text(source: Chunker | str) -> str:
    return source if isinstance(source, str) else source.text


def _grown(source: Chunker | str, text: str) -> Chunker | str:
    if isinstance(source, Chunker) and text.startswith(source.text):
        source.feed(text[len(source.text) :])
        return source
    return text


def _joined(elements: tuple[Element, ...], chunk: Chunk) -> tuple[Element, ...]:
    if chunk.joins and elements and isinstance(elements[0], Line):
        return (replace(elements[0], joins=True, gap=Gap.NONE), *elements[1:])
    return elements


def _verbatim(source: str) -> list[Line]:
    """A person's own words, as typed: white space and line breaks kept, addresses linked."""
    lines = source.removesuffix("\n").split("\n")
    return [
        Line(merged(linked(text.removesuffix("\r"))), gap=Gap.NONE if row else Gap.PARAGRAPH)
        for row, text in enumerate(lines)
    ]


def _formula(source: str) -> Line:
    body = "\n".join(source.strip().splitlines()[1:]).strip()
    body = body.removesuffix("$$").removesuffix("\\]")
    rows = [displayed(row.strip()) for row in legible(body).splitlines() if row.strip()]
    return Line((Run(LINE_BREAK.join(rows), Face.FORMULA),), LineRole.FORMULA)


def _code(source: str, chunk: Chunk) -> tuple[Element, ...]:
    is_first = chunk.start == chunk.block
    lines = code_lines(source, block=chunk.block, joins=chunk.joins) if source or is_first else []
    label = (code_label(chunk.language, chunk.block),) if is_first else ()
    return (*label, *(closed(lines) if chunk.is_last else lines))
