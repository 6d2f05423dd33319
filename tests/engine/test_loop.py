"""Reuse, prompt, sample, emit, decode: on a machine without a model."""

from collections.abc import Sequence

import pytest

from quern.base import QuernError
from quern.engine import CompletionRequest, EngineBroken, NotNumbers
from quern.engine.loop import Loop
from quern.engine.request import check_request
from quern.engine.ticket import Ticket
from quern.spec import (
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    PromptProcessed,
    SamplingParams,
    TextProduced,
)

from .fakes import FakeMachine

PIECES = [b"", b"a", b"b", "東".encode()[:2], "東".encode()[2:]]


def serve(loop: Loop, machine: FakeMachine, tokens: Sequence[int], **sampling: object) -> list[GenerationEvent]:
    params = SamplingParams(**sampling)  # pyright: ignore[reportArgumentType]  # the tests' own keywords
    request = check_request(CompletionRequest(tokens=tuple(tokens), sampling=params), 1000, 1000)
    ticket = Ticket(request, machine.abort)
    loop.serve(ticket)
    return list(ticket.generation)


def text_of(events: Sequence[GenerationEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextProduced))


def finish_of(events: Sequence[GenerationEvent]) -> GenerationFinished:
    assert isinstance(events[-1], GenerationFinished)
    return events[-1]


def test_a_reply_from_prompt_to_its_end() -> None:
    machine = FakeMachine([1, 2], PIECES)
    events = serve(Loop(machine), machine, range(1, 20))
    prompt = [event for event in events if isinstance(event, PromptProcessed)]
    assert [event.n_done for event in prompt] == [0, 8, 16, 19]
    assert {event.n_total for event in prompt} == {19}
    assert text_of(events) == "ab"
    finish = finish_of(events)
    assert finish.reason is FinishReason.STOP
    assert (finish.usage.prompt_tokens, finish.usage.cached_tokens, finish.usage.completion_tokens) == (19, 0, 2)
    assert finish.timings.ttft_ms > 0
    assert finish.timings.prompt_tokens_per_s > 0
    assert finish.timings.decode_tokens_per_s > 0


def test_split_characters_come_out_whole() -> None:
    machine = FakeMachine([1, 3, 4, 2], PIECES)
    events = serve(Loop(machine), machine, [5])
    produced = [(event.text, event.n_tokens) for event in events if isinstance(event, TextProduced)]
    assert produced == [("a", 1), ("東", 3), ("b", 4)]


def test_max_tokens_ends_it_without_a_useless_step() -> None:
    machine = FakeMachine([1] * 9, PIECES)
    events = serve(Loop(machine), machine, [5], max_tokens=3)
    assert finish_of(events).reason is FinishReason.LENGTH
    assert text_of(events) == "aaa"
    assert machine.cells == [5, 1, 1]


def test_no_tokens_asked_no_tokens_given() -> None:
    machine = FakeMachine([1] * 9, PIECES)
    events = serve(Loop(machine), machine, [5, 6], max_tokens=0)
    assert finish_of(events).reason is FinishReason.LENGTH
    assert finish_of(events).usage.completion_tokens == 0
    assert finish_of(events).timings.ttft_ms == 0
    assert machine.cells == [5, 6]


def test_a_stop_string_ends_it_and_is_not_shown() -> None:
    machine = FakeMachine([1, 1, 2, 1, 1], PIECES)
    events = serve(Loop(machine), machine, [5], stop=("ba",))
    assert finish_of(events).reason is FinishReason.STOP
    assert text_of(events) == "aa"


def test_text_held_for_a_stop_string_comes_out_at_the_end() -> None:
    machine = FakeMachine([1, 2], PIECES)
    assert text_of(serve(Loop(machine), machine, [5], stop=("bx",))) == "ab"


def test_the_common_beginning_is_not_computed_again() -> None:
    machine = FakeMachine([1, 2, 0, 1], PIECES)
    loop = Loop(machine)
    serve(loop, machine, [5, 6, 7])
    machine.steps.clear()
    events = serve(loop, machine, [5, 6, 7, 1, 9, 9])
    assert finish_of(events).usage.cached_tokens == 4
    assert machine.steps[0] == (9, 9)
    assert machine.cells[:6] == [5, 6, 7, 1, 9, 9]


def test_the_same_prompt_again_computes_its_last_token() -> None:
    machine = FakeMachine([0, 0], PIECES)
    loop = Loop(machine)
    serve(loop, machine, [5, 6, 7])
    machine.steps.clear()
    assert finish_of(serve(loop, machine, [5, 6, 7])).usage.cached_tokens == 2
    assert machine.steps == [(7,)]


def test_a_memory_that_cannot_be_cut_begins_anew() -> None:
    machine = FakeMachine([1, 0, 1], PIECES)
    machine.can_cut = False
    loop = Loop(machine)
    serve(loop, machine, [5, 6])
    assert finish_of(serve(loop, machine, [5, 7])).usage.cached_tokens == 0
    assert machine.cells[:2] == [5, 7]
    assert finish_of(serve(loop, machine, [*machine.cells, 8])).usage.cached_tokens == 3


def test_cancel_while_the_prompt_is_computed_keeps_what_is_done() -> None:
    machine = FakeMachine([1] * 9, PIECES)
    loop = Loop(machine)
    request = check_request(CompletionRequest(tokens=tuple(range(1, 30))), 1000, 1000)
    ticket = Ticket(request, machine.abort)
    machine.cancel_at_cells(8, ticket.cancel)
    loop.serve(ticket)
    finish = finish_of(list(ticket.generation))
    assert finish.reason is FinishReason.CANCELLED
    assert finish.usage.completion_tokens == 0
    assert machine.cells == list(range(1, 13))
    assert finish_of(serve(loop, machine, range(1, 30), max_tokens=1)).usage.cached_tokens == 12


def test_cancel_while_it_replies_keeps_the_text() -> None:
    machine = FakeMachine([1] * 9, PIECES)
    ticket = Ticket(check_request(CompletionRequest(tokens=(5,)), 1000, 1000), machine.abort)
    machine.cancel_at_cells(3, ticket.cancel)
    Loop(machine).serve(ticket)
    events = list(ticket.generation)
    assert finish_of(events).reason is FinishReason.CANCELLED
    assert text_of(events) == "aaa"


def test_a_cancelled_ticket_is_not_served() -> None:
    machine = FakeMachine([1], PIECES)
    ticket = Ticket(CompletionRequest(tokens=(5,)), machine.abort)
    ticket.cancel()
    Loop(machine).serve(ticket)
    assert machine.steps == []


@pytest.mark.parametrize("error", [NotNumbers(), EngineBroken("code -3")])
def test_a_failure_is_the_last_event_and_the_next_request_starts_clean(error: QuernError) -> None:
    machine = FakeMachine([1, 1], PIECES)
    loop = Loop(machine)
    serve(loop, machine, [5, 6], max_tokens=1)
    machine.fail_next(error)
    events = serve(loop, machine, [5, 6, 7])
    assert events[-1] == GenerationFailed(error)
    assert machine.cells == []
    assert finish_of(serve(loop, machine, [5, 6, 7], max_tokens=1)).usage.cached_tokens == 0


def test_an_unforeseen_failure_is_a_broken_engine() -> None:
    machine = FakeMachine([1, 1], PIECES)
    machine.fail_next(RuntimeError("native trouble"))
    last = serve(Loop(machine), machine, [5, 6])[-1]
    assert isinstance(last, GenerationFailed)
    assert isinstance(last.error, EngineBroken)
    assert "native trouble" in last.error.what


def test_a_full_memory_is_a_broken_engine() -> None:
    machine = FakeMachine([1, 1], PIECES)
    machine.room_cells = 4
    last = serve(Loop(machine), machine, range(1, 8))[-1]
    assert isinstance(last, GenerationFailed)
    assert "full" in last.error.what


def test_sampling_is_handed_to_the_machine_with_its_seed() -> None:
    machine = FakeMachine([], PIECES)
    serve(Loop(machine), machine, [5], seed=3, temperature=0.1)
    assert (machine.begun[0].seed, machine.begun[0].temperature) == (3, 0.1)
