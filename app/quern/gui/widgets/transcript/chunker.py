"""Holds the chunks of one growing text; what is settled is never read again."""

from time import perf_counter

from .chunk import Chunk, ChunkKind, Resume, SourceText, Voice
from .cut import cut

BUDGET_S = 0.02


class Chunker:
    """Owns one source and its chunks, in order. Long texts are cut in several goes, so that none takes long."""

    def __init__(self, voice: Voice, text: str = "") -> None:
        self.chunks: list[Chunk] = []
        self._voice = voice
        self._source = SourceText()
        self._resume = Resume()
        self.is_behind = False
        if text:
            self.feed(text)

    @property
    def text(self) -> str:
        """The whole source."""
        return self._source.text

    def feed(self, delta: str) -> None:
        """Append `delta` and cut again from the last chunk that was not settled."""
        self._source.text += delta
        self.go_on()

    def go_on(self, budget_s: float = BUDGET_S) -> None:
        """Cut what is not cut yet, for about `budget_s`; `is_behind` tells whether more is left."""
        deadline = perf_counter() + budget_s
        if self.chunks and not self.chunks[-1].is_settled:
            self.chunks.pop()
        self.is_behind = False
        while (step := cut(self._source, self._resume, self._voice)) is not None:
            if step.chunk is not None:
                self.chunks.append(step.chunk)
                if not step.chunk.is_settled:
                    return
            self._resume = step.resume
            if perf_counter() > deadline:
                self.is_behind = True
                return

    def finish(self) -> None:
        """Cut all that is left."""
        while self.is_behind:
            self.go_on()

    def text_of(self, chunk: Chunk) -> str:
        """The source that `chunk` shows."""
        return self._source.text[chunk.start : chunk.end]

    def code_block(self, block: int) -> str:
        """A whole code block, byte for byte, without the line break that belongs to its closing fence."""
        self.finish()
        ends = [chunk.end for chunk in self.chunks if chunk.kind is ChunkKind.CODE and chunk.block == block]
        code = self._source.text[block : ends[-1]] if ends else ""
        return code[:-2] if code.endswith("\r\n") else code.removesuffix("\n")
