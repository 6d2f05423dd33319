"""A chat that is stored nowhere: what the model sees, what is remembered, how it stops."""

from pathlib import Path

import pytest

from quern.base import Cancelled, CancelToken
from quern.chat import ChatMessage, ChatTemplate, Delta, DeltaKind
from quern.engine import EngineBroken
from quern.gguf import NotGguf
from quern.models import ModelEntry, Origin
from quern.runtime.session import ChatSession, Reply, ReplyStream, prove_entry, required_text
from quern.runtime.turn.turn_error import MessageEmpty
from quern.runtime.turn.turn_prompt import ContextOverflow
from quern.spec import FinishReason, LoadSettings, SamplingParams

from .scripted_engine import JoiningRenderer, ScriptedEngine, ScriptedTrials

SAMPLING = SamplingParams(stop=("END",))
TEMPLATE = ChatTemplate("unused", "test", ("<stop>",))


def session_of(engine: ScriptedEngine, renderer: JoiningRenderer) -> ChatSession:
    return ChatSession(engine, TEMPLATE, renderer)


def whole(stream: ReplyStream) -> Reply:
    *_, reply = stream
    assert isinstance(reply, Reply)
    return reply


def contents(messages: tuple[ChatMessage, ...]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages]


def test_what_was_said_is_said_again_with_the_next_question() -> None:
    renderer = JoiningRenderer()
    session = session_of(ScriptedEngine(["Hel", "lo."], ["Bye."]), renderer)
    session.system_prompt = "Be brief."
    assert whole(session.ask("Hi", SAMPLING)).text == "Hello."
    assert whole(session.ask("Bye", SAMPLING)).text == "Bye."
    said = [("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello."), ("user", "Bye")]
    assert contents(renderer.seen[1]) == said


def test_forgetting_keeps_the_system_prompt() -> None:
    renderer = JoiningRenderer()
    session = session_of(ScriptedEngine(["a"], ["b"]), renderer)
    session.system_prompt = "Be brief."
    whole(session.ask("Hi", SAMPLING))
    session.forget()
    whole(session.ask("Again", SAMPLING))
    assert contents(renderer.seen[1]) == [("system", "Be brief."), ("user", "Again")]


def test_a_blank_system_prompt_is_none() -> None:
    renderer = JoiningRenderer()
    session = session_of(ScriptedEngine(["a"]), renderer)
    session.system_prompt = "  \n"
    whole(session.ask("Hi", SAMPLING))
    assert contents(renderer.seen[0]) == [("user", "Hi")]


def test_the_reply_comes_as_deltas_and_then_whole_with_its_figures() -> None:
    items = list(session_of(ScriptedEngine(["one ", "two"]), JoiningRenderer()).ask("Hi", SAMPLING))
    assert [item.text for item in items if isinstance(item, Delta)] == ["one ", "two"]
    reply = items[-1]
    assert isinstance(reply, Reply)
    assert (reply.text, reply.reasoning) == ("one two", "")
    assert reply.figures.finish_reason is FinishReason.STOP
    assert reply.figures.usage.completion_tokens == 2


def test_reasoning_is_told_apart_and_not_said_again() -> None:
    renderer = JoiningRenderer()
    session = session_of(ScriptedEngine(["<thi", "nk>hm", "m</think>", "Yes."], ["ok"]), renderer)
    items = list(session.ask("Hi", SAMPLING))
    reasoning = "".join(i.text for i in items if isinstance(i, Delta) and i.kind is DeltaKind.REASONING)
    assert reasoning == "hmm"
    assert isinstance(items[-1], Reply)
    assert (items[-1].text, items[-1].reasoning) == ("Yes.", "hmm")
    whole(session.ask("And?", SAMPLING))
    assert contents(renderer.seen[1])[1] == ("assistant", "Yes.")


def test_a_template_that_opens_the_reasoning_starts_inside_it() -> None:
    session = session_of(ScriptedEngine(["hmm</think>Yes."]), JoiningRenderer("<think>\n"))
    reply = whole(session.ask("Hi", SAMPLING))
    assert (reply.text, reply.reasoning) == ("Yes.", "hmm")


def test_stops_of_the_request_and_of_the_template_both_hold() -> None:
    engine = ScriptedEngine(["a"])
    whole(session_of(engine, JoiningRenderer()).ask("Hi", SAMPLING))
    assert engine.requests[0].sampling.stop == ("END", "<stop>")


def test_a_cancelled_reply_ends_with_what_there_is_and_is_remembered() -> None:
    renderer = JoiningRenderer()
    session = session_of(ScriptedEngine(["one ", "two ", "three"], ["ok"]), renderer)
    stream = session.ask("Count", SAMPLING)
    reply = None
    for item in stream:
        if isinstance(item, Delta):
            stream.cancel()
        elif isinstance(item, Reply):
            reply = item
    assert reply is not None
    assert (reply.text, reply.figures.finish_reason) == ("one ", FinishReason.CANCELLED)
    whole(session.ask("Go on", SAMPLING))
    assert ("assistant", "one ") in contents(renderer.seen[1])


def test_a_reply_without_a_word_and_a_failed_one_are_not_remembered() -> None:
    renderer = JoiningRenderer()
    session = session_of(ScriptedEngine([], ["ok"]), renderer)
    whole(session.ask("Hi", SAMPLING))
    whole(session.ask("Again", SAMPLING))
    assert contents(renderer.seen[1]) == [("user", "Again")]

    broken = session_of(ScriptedEngine(["half"], ["ok"], end=EngineBroken("it fell over")), renderer)
    with pytest.raises(EngineBroken):
        whole(broken.ask("Hi", SAMPLING))
    with pytest.raises(EngineBroken):
        whole(broken.ask("Again", SAMPLING))
    assert contents(renderer.seen[-1]) == [("user", "Again")]


def test_a_prompt_longer_than_the_context_is_refused_with_both_numbers() -> None:
    session = session_of(ScriptedEngine(["never"]), JoiningRenderer())
    assert session.limit_tokens == 64
    with pytest.raises(ContextOverflow) as caught:
        session.ask("word " * 64, SAMPLING)
    assert (caught.value.n_prompt_tokens, caught.value.limit_tokens) == (65, 64)


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_text_without_a_visible_character_is_no_message(text: str) -> None:
    with pytest.raises(MessageEmpty):
        required_text(text)
    with pytest.raises(MessageEmpty):
        session_of(ScriptedEngine(), JoiningRenderer()).ask(text, SAMPLING)


def test_bytes_that_were_not_utf8_become_question_marks() -> None:
    assert required_text(b"h\xff\xfei".decode("utf-8", "surrogateescape")) == "h??i"


def test_an_entry_with_a_problem_is_refused_before_any_trial(tmp_path: Path) -> None:
    trials = ScriptedTrials(Cancelled())
    path = tmp_path / "page.gguf"
    problem = NotGguf(path, "a web page")
    entry = ModelEntry(
        name="page", path=path, shards=(path,), size_bytes=0, origin=Origin.ADDED, facts=None, problem=problem
    )
    with pytest.raises(NotGguf):
        prove_entry(entry, LoadSettings(), trials, CancelToken())
    assert trials.n_asked == 0
