"""A cancel hits the request it was meant for, whatever that is doing."""

from quern.engine import CompletionRequest
from quern.engine.ticket import Ticket
from quern.spec import FinishReason, GenerationFinished, SamplingParams, Timings, Usage

REQUEST = CompletionRequest(tokens=(1, 2), sampling=SamplingParams(max_tokens=3))
ENDED = GenerationFinished(
    FinishReason.STOP,
    Usage(prompt_tokens=2, cached_tokens=0, completion_tokens=0),
    Timings(ttft_ms=0, prompt_tokens_per_s=0, decode_tokens_per_s=0),
)


def test_a_waiting_ticket_ends_at_once_and_never_starts() -> None:
    aborts: list[int] = []
    ticket = Ticket(REQUEST, lambda: aborts.append(1))
    ticket.generation.cancel()
    (event,) = list(ticket.generation)
    assert isinstance(event, GenerationFinished)
    assert event.reason is FinishReason.CANCELLED
    assert event.usage.prompt_tokens == 2
    assert not ticket.start()
    assert aborts == []


def test_a_running_ticket_aborts_the_machine() -> None:
    aborts: list[int] = []
    ticket = Ticket(REQUEST, lambda: aborts.append(1))
    assert ticket.start()
    ticket.cancel()
    assert aborts == [1]


def test_a_late_cancel_does_nothing() -> None:
    aborts: list[int] = []
    ticket = Ticket(REQUEST, lambda: aborts.append(1))
    ticket.start()
    ticket.end(ENDED)
    ticket.cancel()
    assert aborts == []
    assert list(ticket.generation) == [ENDED]
    assert list(ticket.generation) == []
