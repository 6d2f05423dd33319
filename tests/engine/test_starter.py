"""The starter model, really running: replies, reuse, stop, seeds, and how fast a cancel is."""

from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from time import perf_counter

import pytest

from quern.engine import CompletionRequest, Engine, load_engine
from quern.spec import (
    ExtraBuffers,
    FinishReason,
    GenerationFinished,
    LoadSettings,
    PieceKind,
    PromptProcessed,
    SamplingParams,
    TextPiece,
    TextProduced,
)

# On a busy test machine; tests/engine/bench_decode.py measures against 200 ms.
SOON_S = 2.0


@pytest.fixture(scope="module")
def engine(starter_model: Path) -> Iterator[Engine]:
    settings = LoadSettings(extra_buffers=ExtraBuffers.AVOIDED, n_ctx_cells=4608)
    with load_engine(starter_model, settings, lambda _share: None) as loaded:
        yield loaded


def question(engine: Engine, text: str) -> tuple[int, ...]:
    control, plain = PieceKind.CONTROL, PieceKind.PLAIN
    pieces = [
        TextPiece("<|im_start|>user\n", control),
        TextPiece(text, plain),
        TextPiece("<|im_end|>\n<|im_start|>assistant\n", control),
    ]
    return tuple(engine.tokenize(pieces))


def reply(engine: Engine, tokens: tuple[int, ...], sampling: SamplingParams) -> tuple[str, GenerationFinished]:
    events = list(engine.submit(CompletionRequest(tokens=tokens, sampling=sampling)))
    last = events[-1]
    assert isinstance(last, GenerationFinished)
    return "".join(event.text for event in events if isinstance(event, TextProduced)), last


def test_answers_a_question_and_ends_by_itself(engine: Engine) -> None:
    sampling = SamplingParams(temperature=0, max_tokens=40)
    text, finish = reply(engine, question(engine, "What is the capital of France?"), sampling)
    assert "Paris" in text
    assert finish.reason is FinishReason.STOP
    assert finish.usage.completion_tokens > 0
    assert "<|im_end|>" not in text


def test_the_next_turn_computes_only_what_is_new(engine: Engine) -> None:
    first = question(engine, "Name a fruit that grows on trees.")
    sampling = SamplingParams(temperature=0, max_tokens=8)
    text, _ = reply(engine, first, sampling)
    again = (*first, *engine.tokenize([TextPiece(text, PieceKind.PLAIN)]), *question(engine, "Another one?"))
    _, finish = reply(engine, again, sampling)
    assert finish.usage.cached_tokens >= len(first)
    assert finish.usage.cached_tokens < finish.usage.prompt_tokens


def test_reuse_does_not_change_a_greedy_reply(engine: Engine) -> None:
    tokens = question(engine, "Count from one to five.")
    sampling = SamplingParams(temperature=0, max_tokens=12)
    fresh, _ = reply(engine, tokens, sampling)
    reused, finish = reply(engine, tokens, sampling)
    assert finish.usage.cached_tokens == len(tokens) - 1
    assert reused == fresh


def test_a_seed_repeats_a_reply(engine: Engine) -> None:
    tokens = question(engine, "Tell me a story.")
    reply(engine, tokens, SamplingParams(max_tokens=1))  # from here on the same part of the prompt is cached
    texts = [reply(engine, tokens, SamplingParams(temperature=1.5, seed=seed, max_tokens=12))[0] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_stop_string_ends_the_reply(engine: Engine) -> None:
    tokens = question(engine, "What is the capital of France?")
    text, finish = reply(engine, tokens, SamplingParams(temperature=0, max_tokens=40, stop=("Paris",)))
    assert finish.reason is FinishReason.STOP
    assert "Paris" not in text
    assert text != ""


def test_characters_of_several_tokens_come_out_whole(engine: Engine) -> None:
    text = "Repeat exactly: 東京 🦙 naïve"
    echoed = engine.tokenize([TextPiece(text, PieceKind.PLAIN)])
    assert len(echoed) > len(text.split())
    out, _ = reply(engine, question(engine, text), SamplingParams(temperature=1.2, seed=4, max_tokens=40, min_p=0.0))
    assert "\ufffd" not in out


def test_a_cancel_during_a_long_prompt_is_quick_and_keeps_what_was_computed(engine: Engine) -> None:
    tokens = tuple(100 + index * 37 % 40_000 for index in range(4000))
    generation = engine.submit(CompletionRequest(tokens=tokens, sampling=SamplingParams(max_tokens=8)))
    cancelled_s = 0.0

    def cancel() -> None:
        nonlocal cancelled_s
        cancelled_s = perf_counter()
        generation.cancel()

    Timer(0.3, cancel).start()
    events = list(generation)
    assert perf_counter() - cancelled_s < SOON_S
    finish = events[-1]
    assert isinstance(finish, GenerationFinished)
    assert finish.reason is FinishReason.CANCELLED
    assert not [event for event in events if isinstance(event, TextProduced)]
    n_done = max(event.n_done for event in events if isinstance(event, PromptProcessed))
    after = (*tokens[: n_done + 1],)
    if n_done:
        assert reply(engine, after, SamplingParams(max_tokens=1))[1].usage.cached_tokens == n_done


def test_a_cancel_while_it_writes_is_quick_and_the_engine_goes_on(engine: Engine) -> None:
    tokens = question(engine, "Write a long poem.")
    generation = engine.submit(CompletionRequest(tokens=tokens, sampling=SamplingParams(seed=1)))
    cancelled_s, text, finish = 0.0, "", None
    for event in generation:
        if isinstance(event, TextProduced):
            text += event.text
            if not cancelled_s:
                cancelled_s = perf_counter()
                generation.cancel()
        finish = event
    assert perf_counter() - cancelled_s < SOON_S
    assert text
    assert isinstance(finish, GenerationFinished)
    assert finish.reason is FinishReason.CANCELLED
    assert reply(engine, tokens, SamplingParams(max_tokens=2))[1].usage.completion_tokens == 2
