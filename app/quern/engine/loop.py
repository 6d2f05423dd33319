"""Serves one request after the other on one machine: reuse, process the prompt, then sample, emit, decode."""

import logging
from collections.abc import Sequence
from time import perf_counter

from quern.base import QuernError
from quern.spec import FinishReason, GenerationFailed, PromptProcessed, TextProduced

from .errors import EngineBroken
from .machine import Machine, StepEnd
from .pace import Pace
from .run import Run
from .ticket import Ticket

logger = logging.getLogger(__name__)


class _Aborted(Exception):
    """The machine was told to stop: a jump out of the loop, not a failure."""


class Loop:
    """Owns the books of a machine's cells: `self._cells` are the tokens at positions 0, 1, ... in its memory."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._pace = Pace(machine.n_batch_tokens)
        self._cells: list[int] = []

    def serve(self, ticket: Ticket) -> None:
        """Run a request to its last event. Never raises: what goes wrong is the last event."""
        self._machine.clear_abort()
        if not ticket.start():
            return
        run = Run(request=ticket.request, submitted_s=ticket.submitted_s)
        try:
            ticket.end(run.finished(self._complete(ticket, run)))
        except QuernError as error:
            self._forget()
            ticket.end(GenerationFailed(error))
        except Exception as error:
            logger.debug("a completion failed", exc_info=True)
            self._forget()
            ticket.end(GenerationFailed(EngineBroken(str(error))))

    def _complete(self, ticket: Ticket, run: Run) -> FinishReason:
        try:
            self._process_prompt(ticket, run)
            reason = self._reply(ticket, run)
        except _Aborted:
            reason = FinishReason.CANCELLED
        if rest := run.text.rest():
            ticket.emit(TextProduced(rest, run.n_produced))
        return reason

    def _process_prompt(self, ticket: Ticket, run: Run) -> None:
        tokens = run.request.tokens
        self._machine.begin_sampling(run.request.sampling, tokens)
        run.n_cached = self._keep_common_prefix(tokens)
        ticket.emit(PromptProcessed(run.n_cached, len(tokens)))
        while (n_done := len(self._cells)) < len(tokens):
            began_s = perf_counter()
            chunk = tokens[n_done : n_done + self._pace.chunk_tokens]
            self._decode(chunk)
            run.prompt_done_s = perf_counter()
            self._pace.measured(len(chunk), run.prompt_done_s - began_s)
            ticket.emit(PromptProcessed(len(self._cells), len(tokens)))

    def _reply(self, ticket: Ticket, run: Run) -> FinishReason:
        while not run.is_full:
            token = self._machine.sample()
            if self._machine.ends_generation(token):
                return FinishReason.STOP
            run.count_token()
            if text := run.text.feed(self._machine.piece(token)):
                ticket.emit(TextProduced(text, run.n_produced))
            if run.text.hit_stop:
                return FinishReason.STOP
            if not run.is_full:
                self._decode((token,))
        return FinishReason.LENGTH

    def _keep_common_prefix(self, tokens: Sequence[int]) -> int:
        """Cut the cells down to what they share with `tokens`, all but the last one, whose logits are needed."""
        pairs = zip(self._cells, tokens[:-1], strict=False)
        n_kept = next((index for index, (have, want) in enumerate(pairs) if have != want), None)
        if n_kept is None:
            n_kept = min(len(self._cells), len(tokens) - 1)
        if not self._machine.cut(n_kept):
            self._machine.forget()
            n_kept = 0
        del self._cells[n_kept:]
        return n_kept

    def _decode(self, tokens: Sequence[int]) -> None:
        match self._machine.decode(tokens, len(self._cells)):
            case StepEnd.DONE:
                self._cells.extend(tokens)
            case StepEnd.ABORTED:
                self._cells.extend(tokens)
                del self._cells[self._machine.n_positions :]
                raise _Aborted
            case StepEnd.NO_ROOM:
                raise EngineBroken("its memory for the conversation is full")

    def _forget(self) -> None:
        self._cells.clear()
        self._machine.forget()
