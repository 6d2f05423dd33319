"""A machine and a vocabulary without a model."""

from collections.abc import Callable, Sequence
from threading import Event
from typing import ClassVar

from quern.engine.machine import StepEnd
from quern.spec import SamplingParams

END = 0


class FakeMachine:
    """A machine that says `script` token by token; token n is the n-th piece of `pieces`, token 0 ends the reply."""

    def __init__(self, script: Sequence[int] = (), pieces: Sequence[bytes] = ()) -> None:
        self.n_batch_tokens = 8
        self.cells: list[int] = []
        self.steps: list[tuple[int, ...]] = []
        self.can_cut = True
        self.room_cells = 10**6
        self.begun: list[SamplingParams] = []
        self.is_closed = False
        self.is_aborted = Event()
        self._script = list(script)
        self._pieces = pieces
        self._cancel_at: tuple[int, Callable[[], None]] | None = None
        self._failure: Exception | None = None

    def cancel_at_cells(self, n_cells: int, cancel: Callable[[], None]) -> None:
        """Call `cancel` in the step that begins with `n_cells` cells filled."""
        self._cancel_at = (n_cells, cancel)

    def fail_next(self, error: Exception) -> None:
        """Let the next step raise `error`."""
        self._failure = error

    @property
    def n_positions(self) -> int:
        return len(self.cells)

    def cut(self, n_positions: int) -> bool:
        if not self.can_cut and n_positions < len(self.cells):
            return False
        del self.cells[n_positions:]
        return True

    def forget(self) -> None:
        self.cells.clear()

    def decode(self, tokens: Sequence[int], first_position: int) -> StepEnd:
        assert first_position == len(self.cells), "positions follow one another"
        assert len(tokens) <= self.n_batch_tokens
        if self._cancel_at is not None and len(self.cells) == self._cancel_at[0]:
            self._cancel_at[1]()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        if self.is_aborted.is_set():
            self.cells.extend(tokens[: len(tokens) // 2])
            return StepEnd.ABORTED
        if len(self.cells) + len(tokens) > self.room_cells:
            return StepEnd.NO_ROOM
        self.cells.extend(tokens)
        self.steps.append(tuple(tokens))
        return StepEnd.DONE

    def begin_sampling(self, sampling: SamplingParams, prompt: Sequence[int]) -> None:
        assert prompt
        self.begun.append(sampling)

    def sample(self) -> int:
        return self._script.pop(0) if self._script else END

    def ends_generation(self, token: int) -> bool:
        return token == END

    def piece(self, token: int) -> bytes:
        return self._pieces[token]

    def abort(self) -> None:
        self.is_aborted.set()

    def clear_abort(self) -> None:
        self.is_aborted.clear()

    def close(self) -> None:
        self.is_closed = True


class FakeVocabulary:
    """A vocabulary of characters (id = code point) with a few special tokens above them."""

    SPECIAL: ClassVar = {1_200_000: "<s>", 1_200_001: "<|end|>", 1_200_002: "<|end|>x", 1_200_003: "<mask>"}
    BOS, MASK = 1_200_000, 1_200_003

    def __init__(self, *, adds_bos: bool = True) -> None:
        self.bos: int | None = self.BOS
        self.adds_bos = adds_bos

    def special_ids(self) -> list[int]:
        return list(self.SPECIAL)

    def text(self, token: int) -> str:
        return self.SPECIAL[token]

    def strips_left(self, token: int) -> bool:
        return token == self.MASK

    def strips_right(self, token: int) -> bool:
        return token == self.MASK

    def tokenize(self, text: str) -> list[int]:
        assert text
        return [ord(character) for character in text]
