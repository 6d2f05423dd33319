"""`quern chat` as a person or a script uses it, in a process of its own, with real models."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.gguf.forge import CHATML, TinyModel, forge_llama_model

from quern.base import Home, Ownership

from .conftest import Run

JSON_KEYS = {
    "text": str,
    "finish_reason": str,
    "usage": {"prompt_tokens": int, "cached_tokens": int, "completion_tokens": int},
    "timings": {"ttft_ms": float, "prompt_tokens_per_s": float, "decode_tokens_per_s": float},
}


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    return str(forge_llama_model(tmp_path / "tiny.gguf", TinyModel(chat_template=CHATML)))


def shape_of(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): shape_of(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return type(value)


def test_once_answers_with_the_starter_model_as_json_of_exactly_the_promised_shape(run_child: Run) -> None:
    ran = run_child(
        *("chat", "SmolLM2", "--once", "What is the capital of France? One word.", "--json"),
        *("--temperature", "0", "--max-tokens", "12"),
    )
    assert (ran.code, ran.err) == (0, "")
    reply = json.loads(ran.out)
    assert shape_of(reply) == JSON_KEYS
    assert "Paris" in reply["text"]
    assert reply["usage"]["prompt_tokens"] > 10
    assert 1 <= reply["usage"]["completion_tokens"] <= 12
    assert reply["timings"]["ttft_ms"] > 0


def test_the_same_seed_gives_the_same_reply_and_another_one_another(run_child: Run, tiny: str) -> None:
    def reply(seed: int) -> str:
        return run_child("chat", tiny, "--once", "hi", "--seed", str(seed), "--max-tokens", "16", "--json").out

    texts = [json.loads(reply(seed))["text"] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_context_that_is_asked_for_holds_whatever_goal_the_settings_have(
    run_child: Run, tiny: str, own_home: Path
) -> None:
    own_home.mkdir(exist_ok=True)
    (own_home / "settings.toml").write_text('[load]\nfit_goal = "longest_context"\n', encoding="utf-8")
    ran = run_child("chat", tiny, "--ctx", "256", "--once", "word " * 300)
    assert ran.code == 1
    assert "room for 256" in ran.err


def test_max_tokens_ends_a_reply_by_length(run_child: Run, tiny: str) -> None:
    reply = json.loads(run_child("chat", tiny, "--once", "hi", "--max-tokens", "3", "--seed", "1", "--json").out)
    assert reply["finish_reason"] == "length"
    assert reply["usage"]["completion_tokens"] == 3


def test_a_pipe_brings_the_prompt_with_or_without_once(run_child: Run, tiny: str) -> None:
    flags = ("--seed", "1", "--max-tokens", "4", "--json")
    given = json.loads(run_child("chat", tiny, "--once", "hello", *flags).out)
    piped = json.loads(run_child("chat", tiny, *flags, text=b"hello").out)
    dashed = json.loads(run_child("chat", tiny, "--once", "-", *flags, text=b"hello").out)
    assert given["text"] == piped["text"] == dashed["text"]


def test_text_alone_is_on_stdout_and_ends_its_line(run_child: Run, tiny: str) -> None:
    ran = run_child("chat", tiny, "--once", "hi", "--seed", "1", "--max-tokens", "4")
    assert (ran.code, ran.err) == (0, "The reply was cut off: it has the 4 tokens that --max-tokens allows.\n")
    assert ran.out.endswith("\n")
    assert ran.out.strip()


def test_a_prompt_that_is_not_utf8_is_answered(run_child: Run, tiny: str) -> None:
    assert run_child("chat", tiny, "--once", b"h\xffi", "--max-tokens", "2").code == 0
    assert run_child("chat", tiny, "--max-tokens", "2", text=b"h\xffi").code == 0


def test_a_reply_that_fills_the_context_is_cut_off_and_says_so(run_child: Run, tiny: str) -> None:
    ran = run_child("chat", tiny, "--once", "hi", "--ctx", "64", "--seed", "1")
    assert (ran.code, ran.err) == (
        0,
        "The reply was cut off: the context of 64 tokens is full; a larger --ctx makes room.\n",
    )
    ran = run_child("chat", tiny, "--once", "hi", "--ctx", "64", "--seed", "1", "--json")
    reply = json.loads(ran.out)
    assert reply["finish_reason"] == "length"
    assert reply["usage"]["prompt_tokens"] + reply["usage"]["completion_tokens"] == 64


def test_a_single_message_that_is_too_long_has_no_conversation_to_reset(run_child: Run, tiny: str) -> None:
    ran = run_child("chat", tiny, "--once", "hello " * 300, "--ctx", "256")
    assert "/reset" not in ran.err
    assert "--ctx" in ran.err


@pytest.mark.parametrize("verb", ["show", "chat"])
def test_without_any_model_a_command_says_how_to_get_one(
    run: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setattr("quern.models.library.starter_path", lambda: None)
    ran = run(verb, "SmolLM2", *(["--once", "hi"] if verb == "chat" else []))
    assert ran.is_one_sentence_failure
    assert ran.err.startswith("There are no models yet.")
    assert str(own_home / "models") in ran.err
    assert "huggingface.co" in ran.err


def test_help_says_what_becomes_of_stdin(run: Run) -> None:
    words = " ".join(run("chat", "--help").out.replace("│", " ").split())
    assert "stdin is then left unread" in words
    assert "Without --once, what a pipe brings on stdin is the prompt." in words


def test_ctx_is_the_limit_of_a_request_but_never_more_than_the_model_was_trained_for(run_child: Run, tiny: str) -> None:
    prompt = "hello " * 300
    for ctx, limit in (("64", 64), ("256", 256), ("4096", 512)):
        ran = run_child("chat", tiny, "--once", prompt, "--ctx", ctx)
        assert ran.is_one_sentence_failure
        assert f"the model has room for {limit}" in ran.err


def test_a_template_that_raises_speaks_for_itself(run_child: Run, tmp_path: Path) -> None:
    model = TinyModel(chat_template="{{ raise_exception('only on Mondays') }}")
    ran = run_child("chat", str(forge_llama_model(tmp_path / "raises.gguf", model)), "--once", "hi")
    assert ran.is_one_sentence_failure
    assert "only on Mondays" in ran.err


def test_a_system_prompt_reaches_the_model(run_child: Run, tiny: str) -> None:
    def n_prompt_tokens(*flags: str) -> int:
        ran = run_child("chat", tiny, "--once", "hi", "--max-tokens", "1", "--json", *flags)
        return json.loads(ran.out)["usage"]["prompt_tokens"]

    assert n_prompt_tokens("--system", "You are a terse pirate.") > n_prompt_tokens()


def test_a_chat_remembers_its_trial_and_gives_the_folder_back(run_child: Run, tiny: str, own_home: Path) -> None:
    def trials() -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(own_home / "quern.db")) as connection:
            return connection.execute("SELECT content_id, proven_at FROM trials").fetchall()

    assert run_child("chat", tiny, "--once", "hi", "--max-tokens", "1").code == 0
    first = trials()
    assert len(first) == 1
    assert run_child("chat", tiny, "--once", "hi", "--max-tokens", "1").code == 0
    assert trials() == first
    Ownership.claim(Home(own_home), "test").release()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_ctrl_c_stops_the_reply_and_says_so_by_the_exit_code(starter_model: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "quern",
        "chat",
        str(starter_model),
        "--once",
        "Tell me a long story.",
        "--seed",
        "1",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (first + rest).decode().strip()
    assert errors == b""
