"""A reply on its way out: to a terminal, to a pipe, as JSON; Ctrl-C stops it."""

import json
import signal
import sys
from io import StringIO

import pytest
from tests.runtime.scripted_engine import ScriptedEvents

from quern.chat import Delta, ReasoningSplitter
from quern.cli.failure import say
from quern.cli.interrupt import on_interrupt
from quern.cli.reply import exit_code_of, print_reply_json, say_figures, stream_reply, why_cut_off
from quern.runtime import Reply, ReplyStream, Room
from quern.spec import FinishReason


class Terminal(StringIO):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        return True


def screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return a terminal that shows stdout and stderr together."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


def reply_of(*pieces: str, end: FinishReason = FinishReason.STOP) -> ReplyStream:
    return ReplyStream(ScriptedEvents(pieces, end, 3), ReasoningSplitter(), lambda _: None)


def test_json_is_one_line_of_the_promised_shape(capsys: pytest.CaptureFixture[str]) -> None:
    reply = print_reply_json(reply_of("<think>hm</think>", "Naïve ", "é"))
    printed = capsys.readouterr().out
    assert printed.endswith("}\n")
    assert printed.count("\n") == 1
    assert "Naïve é" in printed
    assert json.loads(printed) == {
        "text": "Naïve é",
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 3, "cached_tokens": 0, "completion_tokens": 3},
        "timings": {"ttft_ms": 12.346, "prompt_tokens_per_s": 100.0, "decode_tokens_per_s": 50.0},
    }
    assert exit_code_of(reply) == 0


def test_a_pipe_gets_the_text_as_it_is_and_no_reasoning(capsys: pytest.CaptureFixture[str]) -> None:
    stream_reply(reply_of("<think>hm</think>", "a\x1b[31mb"))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("a\x1b[31mb\n", "")


def test_a_terminal_gets_dim_reasoning_and_no_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = screen(monkeypatch)
    stream_reply(reply_of("<think>hm\x07</think>", "a\x1b]0;title\x07b"))
    assert terminal.getvalue().split("\n") == [
        "\x1b[2mhm\N{REPLACEMENT CHARACTER}\x1b[22m",
        "a\N{REPLACEMENT CHARACTER}]0;title\N{REPLACEMENT CHARACTER}b",
        "",
    ]


def test_figures_are_dim_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = stream_reply(reply_of("one ", "two"))
    terminal = screen(monkeypatch)
    say_figures(reply, Room(1000, can_grow=True))
    figures = "2 tokens · 50.0 tokens/s · first after 12 ms · 5 of 1,000 tokens used"
    assert terminal.getvalue() == f"\x1b[2m{figures}\x1b[22m\n"


@pytest.mark.parametrize(
    ("end", "room", "why"),
    [
        (FinishReason.STOP, Room(5, can_grow=True), ""),
        (FinishReason.LENGTH, Room(6, can_grow=True), "it has the 2 tokens that --max-tokens allows"),
        (FinishReason.LENGTH, Room(5, can_grow=True), "the context of 5 tokens is full; a larger --ctx makes room"),
        (
            FinishReason.LENGTH,
            Room(5, can_grow=False),
            "the context of 5 tokens is full; the model was trained for no more",
        ),
    ],
)
@pytest.mark.usefixtures("capsys")
def test_a_reply_says_why_it_was_cut_off(end: FinishReason, room: Room, why: str) -> None:
    assert why_cut_off(stream_reply(reply_of("one ", "two", end=end)), room) == why


def test_a_narrow_terminal_breaks_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = screen(monkeypatch)
    monkeypatch.setenv("COLUMNS", "12")
    stream_reply(reply_of("<think>Let me think about it</think>", "Blue", "berries are", " blue fruit"))
    assert terminal.getvalue().replace("\x1b[2m", "").replace("\x1b[22m", "").split("\n") == [
        "Let me think",
        "about it",
        "Blueberries",
        "are blue",
        "fruit",
        "",
    ]


def test_a_sentence_on_a_narrow_terminal_breaks_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = screen(monkeypatch)
    monkeypatch.setenv("COLUMNS", "12")
    say("There is no such command.")
    assert terminal.getvalue() == "There is no\nsuch\ncommand.\n"


def test_an_empty_reply_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert stream_reply(reply_of()).text == ""
    assert capsys.readouterr().out == ""


def test_ctrl_c_stops_the_reply_and_the_next_one_means_what_it_meant_before() -> None:
    former = signal.getsignal(signal.SIGINT)
    stream = reply_of("one ", "two ", "three")
    reply = None
    with on_interrupt(stream.cancel):
        for item in stream:
            if isinstance(item, Delta):
                signal.raise_signal(signal.SIGINT)
                assert signal.getsignal(signal.SIGINT) == former
            elif isinstance(item, Reply):
                reply = item
    assert reply is not None
    assert reply.text == "one "
    assert exit_code_of(reply) == 130
    assert signal.getsignal(signal.SIGINT) == former


def test_outside_the_main_thread_ctrl_c_is_left_alone() -> None:
    from threading import Thread

    former = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with on_interrupt(lambda: None):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [former]
