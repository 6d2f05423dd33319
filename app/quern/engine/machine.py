"""What the engine's loop needs of a loaded model; `native` is the real one, tests have their own."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Protocol

from quern.spec import SamplingParams


class StepEnd(Enum):
    """How a decode step ended."""

    DONE = auto()
    NO_ROOM = auto()
    ABORTED = auto()


class Machine(Protocol):
    """A model with one sequence of KV cells. All but `abort` belong to the engine thread."""

    @property
    def n_batch_tokens(self) -> int:
        """Most tokens of one decode step."""
        ...

    @property
    def n_positions(self) -> int:
        """How many cells are filled, from position 0 on."""
        ...

    def cut(self, n_positions: int) -> bool:
        """Forget the cells from `n_positions` on; False (and nothing changed) where the model's memory cannot."""
        ...

    def forget(self) -> None:
        """Forget every cell."""
        ...

    def decode(self, tokens: Sequence[int], first_position: int) -> StepEnd:
        """Compute `tokens` at consecutive positions; after ABORTED ask `n_positions`. Raises EngineBroken."""
        ...

    def begin_sampling(self, sampling: SamplingParams, prompt: Sequence[int]) -> None:
        """Sample by these parameters from now on; penalties look back into `prompt`."""
        ...

    def sample(self) -> int:
        """The next token's id, from the last decode step's logits. Raises NotNumbers where they are NaN."""
        ...

    def ends_generation(self, token: int) -> bool:
        """Whether `token` ends a reply."""
        ...

    def piece(self, token: int) -> bytes:
        """The token's part of the reply in UTF-8, possibly a part of a character."""
        ...

    def abort(self) -> None:
        """Make the running decode step and later ones end as ABORTED. Any thread, never blocks."""
        ...

    def clear_abort(self) -> None:
        """Let decode steps run again."""
        ...

    def close(self) -> None:
        """Free everything; idempotent."""
        ...
