"""The interactive loop: what a typed line does."""

from collections.abc import Callable, Sequence

import pytest
from tests.runtime.scripted_engine import JoiningRenderer, ScriptedEngine

from quern.chat import ChatTemplate
from quern.cli.conversation import HELP, Conversation
from quern.cli.reply import stream_reply
from quern.engine import EngineBroken
from quern.runtime import ChatSession
from quern.spec import FinishReason, SamplingParams

Keys = str | type[BaseException]


def typing(*lines: Keys) -> Callable[[str], str]:
    """Return a `read_line` that types `lines` and then presses Ctrl-D; an exception is raised in place of a line."""
    left = iter(lines)

    def read_line(_prompt: str) -> str:
        line = next(left, EOFError)
        if isinstance(line, str):
            return line
        raise line

    return read_line


def talk(engine: ScriptedEngine, *lines: Keys) -> Sequence[Sequence[tuple[str, str]]]:
    """Type `lines` and leave; return what the model saw with each message."""
    renderer = JoiningRenderer()
    session = ChatSession(engine, ChatTemplate(""), renderer)
    Conversation(session, SamplingParams(), typing(*lines), stream_reply).run()
    return [[(message.role, message.content) for message in seen] for seen in renderer.seen]


Captured = pytest.CaptureFixture[str]


def test_replies_are_on_stdout_and_all_else_on_stderr(capsys: Captured) -> None:
    talk(ScriptedEngine(["Hel", "lo."], ["Bye.\n"]), "hi", "bye")
    captured = capsys.readouterr()
    assert captured.out == "Hello.\nBye.\n"
    assert "2 tokens · 50.0 tokens/s · first after 12 ms · 4 of 64 tokens used" in captured.err


def test_reset_forgets_what_was_said() -> None:
    seen = talk(ScriptedEngine(["a"], ["b"]), "hi", "/reset", "again")
    assert seen[1] == [("user", "again")]


def test_system_sets_shows_and_takes_back_what_the_model_is_told(capsys: Captured) -> None:
    seen = talk(ScriptedEngine(["a"], ["b"]), "/system Be brief.", "hi", "/system", "/system -", "/reset", "again")
    assert seen[0] == [("system", "Be brief."), ("user", "hi")]
    assert seen[1] == [("user", "again")]
    errors = capsys.readouterr().err
    assert errors.count("The model is told: Be brief.") == 2
    assert "You told the model nothing; its chat template may." in errors


@pytest.mark.parametrize("leave", ["/exit", "/quit", " /exit "])
def test_exit_leaves_at_once(leave: str) -> None:
    assert talk(ScriptedEngine(), leave, "never sent") == []


def test_help_names_every_command(capsys: Captured) -> None:
    talk(ScriptedEngine(), "/help")
    errors = capsys.readouterr().err
    assert all(command in errors for command in ("/help", "/reset", "/system", "/exit", "Ctrl-C", "Ctrl-D"))


def test_help_fits_a_terminal_of_80_columns() -> None:
    assert max(map(len, HELP.splitlines())) <= 80


def test_an_unknown_command_is_not_sent_to_the_model_but_a_path_is(capsys: Captured) -> None:
    seen = talk(ScriptedEngine(["ok"]), "/frob", "/usr/bin is a folder")
    assert seen == [[("user", "/usr/bin is a folder")]]
    assert 'no command "/frob"' in capsys.readouterr().err


def test_empty_lines_do_nothing_and_a_backslash_continues_the_message() -> None:
    assert talk(ScriptedEngine(["ok"]), "", "   ", "one\\", "two") == [[("user", "one\ntwo")]]


def test_ctrl_c_at_the_prompt_says_how_to_leave_and_goes_on(capsys: Captured) -> None:
    assert talk(ScriptedEngine(["ok"]), KeyboardInterrupt, "hi") == [[("user", "hi")]]
    assert "/exit or press Ctrl-D" in capsys.readouterr().err


def test_a_message_that_fails_is_told_and_the_next_one_may_be_written(capsys: Captured) -> None:
    seen = talk(ScriptedEngine(["ok"]), "word " * 64, "hi")
    assert seen[-1] == [("user", "hi")]
    captured = capsys.readouterr()
    assert "65 tokens long" in captured.err
    assert "--ctx" in captured.err
    assert "/reset" in captured.err
    assert captured.out == "ok\n"


def test_a_reply_that_breaks_off_is_told(capsys: Captured) -> None:
    talk(ScriptedEngine(["half"], end=EngineBroken("it fell over")), "hi")
    captured = capsys.readouterr()
    assert captured.out == "half\n"
    assert "it fell over" in captured.err


def test_a_reply_cut_off_at_the_limit_says_so(capsys: Captured) -> None:
    talk(ScriptedEngine(["word"], end=FinishReason.LENGTH), "hi")
    assert "cut off: it has the 1 tokens that --max-tokens allows" in capsys.readouterr().err
