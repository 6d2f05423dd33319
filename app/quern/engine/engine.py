"""One loaded model: the door between threads that ask and the thread that computes."""

import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from quern.spec import TextPiece

from .door import Door
from .facts import EngineFacts
from .generation import Generation
from .machine import Machine
from .request import CompletionRequest, check_request
from .thread import EngineThread
from .ticket import Ticket
from .tokenizer import Tokenizer


class Engine:
    """Owns a loaded model, its context and its thread. `facts`, `tokenize`, `submit` and `close` are thread-safe.

    Requests are served one after the other, in the order in which they came; a request that starts with the tokens of
    the one before reuses their KV cells. (A seed repeats a reply as long as equally much of the prompt was cached: the
    sums of a batch of another size round differently.) A context manager; closing cancels what runs and frees the
    model, and an engine that nobody holds any more (or that is open when the program ends) closes itself.
    """

    def __init__(self, machine: Machine, tokenizer: Tokenizer, facts: EngineFacts, name: str) -> None:
        self.facts = facts
        self._tokenizer = tokenizer
        self._abort = machine.abort
        self._thread = EngineThread(machine, f"quern-engine {name}")
        self._door = Door()
        self._finalizer = weakref.finalize(self, _close, self._door, self._thread)

    def tokenize(self, pieces: Sequence[TextPiece]) -> list[int]:
        """Token ids of the joined pieces, in the caller's thread.

        Control tokens come only from CONTROL pieces; BOS is there exactly once where the model wants one. Raises
        EngineBroken once closed; a close meanwhile waits until the tokens are there.
        """
        with self._door.inside():
            return self._tokenizer.tokenize(pieces)

    def submit(self, request: CompletionRequest) -> Generation:
        """Queue a completion and return its event stream at once.

        Raises PromptEmpty, PromptTooLong (the prompt leaves no room for a token), SamplingInvalid, EngineBroken.
        """
        checked = check_request(request, self.facts.request_limit_tokens, self.facts.n_vocab)
        ticket = Ticket(checked, self._abort)
        self._thread.submit(ticket)
        return ticket.generation

    def close(self) -> None:
        """Cancel what runs, end the thread, free the model; idempotent."""
        _close(self._door, self._thread)
        self._finalizer.detach()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


def _close(door: Door, thread: EngineThread) -> None:
    door.close()
    thread.close()
