"""Opens a model with exactly the wanted settings and computes a little, to see whether this machine survives it."""

from pathlib import Path
from time import perf_counter

from quern.base import Json
from quern.engine.errors import NotNumbers
from quern.engine.machine import StepEnd
from quern.engine.native import NativeMachine
from quern.spec import settings_from_json

PROMPT_TOKENS = 64
SINGLE_STEPS = 3
ID_STRIDE = 7919  # a prime: spreads the ids over the vocabulary


def answer(question: Json) -> Json:
    """Answer `{"path", "settings"}` with `{"ok": true, "device_names", "prompt_tokens_per_s"}`.

    A prompt of 64 tokens runs the batch kernels, then single tokens the others. Raises the engine's errors, NotNumbers
    when a logit is NaN; a fault of the kernels ends the process, which is what the asker wants to know.

    A question with "only_opens" has the model opened ahead, for the same question without it to come.
    """
    assert isinstance(question, dict) and isinstance(question["settings"], dict)
    wanted: Json = {"path": question["path"], "settings": question["settings"]}
    if question.get("only_opens") is True:
        _opened.append((wanted, _open(wanted)))
        return {"ok": True}
    machine = _taken(wanted)
    try:
        seconds = _compute(machine)
        return {
            "ok": True,
            "device_names": list(machine.device_names),
            "prompt_tokens_per_s": round(PROMPT_TOKENS / seconds, 1),
        }
    finally:
        machine.close()


_opened: list[tuple[Json, NativeMachine]] = []


def _taken(wanted: Json) -> NativeMachine:
    """Return the machine that was opened ahead for this question, else a new one. Raises what the engine raises."""
    while _opened:
        asked, machine = _opened.pop()
        if asked == wanted:
            return machine
        machine.close()
    return _open(wanted)


def _open(wanted: Json) -> NativeMachine:
    assert isinstance(wanted, dict) and isinstance(wanted["settings"], dict)
    return NativeMachine(Path(str(wanted["path"])), settings_from_json(wanted["settings"]), lambda _: True)


def _compute(machine: NativeMachine) -> float:
    """Decode a prompt and single tokens; return the seconds of the prompt."""
    n_vocab = machine.vocab.n_tokens
    ids = [index * ID_STRIDE % n_vocab for index in range(PROMPT_TOKENS + SINGLE_STEPS)]
    began_s = perf_counter()
    for first in range(0, PROMPT_TOKENS, machine.n_batch_tokens):
        _step(machine, ids[first : min(PROMPT_TOKENS, first + machine.n_batch_tokens)], first)
    seconds = perf_counter() - began_s
    _check_numbers(machine)
    for position in range(PROMPT_TOKENS, PROMPT_TOKENS + SINGLE_STEPS):
        _step(machine, ids[position : position + 1], position)
    _check_numbers(machine)
    return seconds


def _step(machine: NativeMachine, ids: list[int], first_position: int) -> None:
    end = machine.decode(ids, first_position)
    assert end is StepEnd.DONE, "the smallest context holds more than a trial"


def _check_numbers(machine: NativeMachine) -> None:
    if any(value != value for value in machine.logits()):
        raise NotNumbers
