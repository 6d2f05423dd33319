"""The engine's thread: order, cancel, close, on a machine without a model."""

import gc
import threading
from collections.abc import Callable

import pytest

from quern.engine import CompletionRequest, Engine, EngineBroken, EngineFacts, PromptTooLong
from quern.engine.tokenizer import Tokenizer
from quern.spec import (
    FinishReason,
    GenerationEvent,
    GenerationFinished,
    LoadSettings,
    PieceKind,
    SamplingParams,
    TextPiece,
)

from .fakes import FakeMachine, FakeVocabulary

FACTS = EngineFacts(
    n_ctx_cells=256,
    n_ctx_train=512,
    request_limit_tokens=256,
    n_vocab=1000,
    device_names=("CPU",),
    settings=LoadSettings(),
    control_texts=frozenset(),
    bos_text="",
    eos_text="",
    adds_bos=True,
    model_size_bytes=1,
    memory_bytes=1,
)
REQUEST = CompletionRequest(tokens=(5, 6), sampling=SamplingParams(max_tokens=2))


def engine_on(machine: FakeMachine) -> Engine:
    return Engine(machine, Tokenizer(FakeVocabulary()), FACTS, "test")


def reason_of(events: list[GenerationEvent]) -> FinishReason:
    assert isinstance(events[-1], GenerationFinished)
    return events[-1].reason


def test_requests_are_served_in_order() -> None:
    machine = FakeMachine([1, 1] * 3, [b"", b"a"])
    with engine_on(machine) as engine:
        generations = [engine.submit(REQUEST) for _ in range(3)]
        assert [reason_of(list(generation)) for generation in generations] == [FinishReason.LENGTH] * 3
    assert len(machine.begun) == 3


def test_what_cannot_be_asked_raises_in_the_caller() -> None:
    with engine_on(FakeMachine()) as engine, pytest.raises(PromptTooLong):
        engine.submit(CompletionRequest(tokens=(1,) * 256))


def test_tokenizes_in_the_callers_thread() -> None:
    with engine_on(FakeMachine()) as engine:
        assert engine.tokenize([TextPiece("ab", PieceKind.PLAIN)]) == [FakeVocabulary.BOS, 97, 98]


def held_machine() -> tuple[FakeMachine, threading.Event, Callable[[], None]]:
    """A machine whose first step waits for the event (and says that it waits by the function)."""
    machine, go_on, is_there = FakeMachine([1] * 9, [b"", b"a"]), threading.Event(), threading.Event()

    def wait() -> None:
        is_there.set()
        assert go_on.wait(10)

    def wait_until_it_runs() -> None:
        assert is_there.wait(10)

    machine.cancel_at_cells(0, wait)
    return machine, go_on, wait_until_it_runs


def test_cancelling_a_waiting_request_leaves_the_running_one_alone() -> None:
    machine, go_on, wait_until_it_runs = held_machine()
    with engine_on(machine) as engine:
        running, waiting = engine.submit(REQUEST), engine.submit(REQUEST)
        wait_until_it_runs()
        waiting.cancel()
        assert reason_of(list(waiting)) is FinishReason.CANCELLED
        go_on.set()
        assert reason_of(list(running)) is FinishReason.LENGTH


def test_closing_cancels_what_runs_and_what_waits_and_frees_the_machine() -> None:
    machine, go_on, wait_until_it_runs = held_machine()
    engine = engine_on(machine)
    running, waiting = engine.submit(REQUEST), engine.submit(REQUEST)
    wait_until_it_runs()
    threading.Timer(0.05, go_on.set).start()
    engine.close()
    engine.close()
    assert machine.is_closed
    assert reason_of(list(running)) is FinishReason.CANCELLED
    assert reason_of(list(waiting)) is FinishReason.CANCELLED
    running.cancel()
    with pytest.raises(EngineBroken, match="unloaded"):
        engine.submit(REQUEST)


def test_an_engine_that_nobody_holds_frees_itself() -> None:
    machine = FakeMachine()
    engine = engine_on(machine)
    del engine
    gc.collect()
    assert machine.is_closed
    assert not [thread for thread in threading.enumerate() if thread.name == "quern-engine test"]


class SlowVocabulary(FakeVocabulary):
    """Tokenizes until it is told to end."""

    def __init__(self) -> None:
        super().__init__()
        self.has_begun = threading.Event()
        self.may_end = threading.Event()

    def tokenize(self, text: str) -> list[int]:
        self.has_begun.set()
        assert self.may_end.wait(10)
        return super().tokenize(text)


def test_a_close_waits_for_a_thread_that_still_reads_the_vocabulary() -> None:
    vocabulary, machine = SlowVocabulary(), FakeMachine()
    engine = Engine(machine, Tokenizer(vocabulary), FACTS, "test")
    reader = threading.Thread(target=engine.tokenize, args=([TextPiece("text", PieceKind.PLAIN)],))
    closer = threading.Thread(target=engine.close)
    reader.start()
    assert vocabulary.has_begun.wait(10)
    closer.start()
    closer.join(0.2)
    assert closer.is_alive()
    assert not machine.is_closed
    vocabulary.may_end.set()
    closer.join(10)
    reader.join(10)
    assert machine.is_closed


def test_a_closed_engine_tokenizes_no_more() -> None:
    engine = engine_on(FakeMachine())
    engine.close()
    with pytest.raises(EngineBroken):
        engine.tokenize([TextPiece("text", PieceKind.PLAIN)])
