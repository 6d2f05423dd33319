"""Every way the child can end is a sentence."""

from pathlib import Path

import pytest

from quern.base import (
    Cancelled,
    ChildLimits,
    Json,
    QuernError,
    WorkerAborted,
    WorkerCrashed,
    WorkerFailed,
    WorkerTimedOut,
)
from quern.fit import FitUnknown, Needs, SettingsRefused
from quern.fit.measure.dry_run import MEMORY_BYTES, DryRunAnswer, answer_of, ask_dry_run
from quern.spec import LoadSettings

ASK = "quern.fit.measure.dry_run.ask_worker"
PATH = Path("model.gguf")
SAID: dict[str, Json] = {
    "devices": [
        {"device": "CPU", "weights": 5, "plain_weights": 4, "kv": 3, "recurrent": 2, "compute": 1},
        {"device": "CUDA0", "weights": 50, "plain_weights": 0, "kv": 30, "recurrent": 20, "compute": 10},
    ],
    "output": 7,
    "work": None,
    "resident": 8,
    "knows_weights": True,
    "n_vocab": 9,
    "gpus": ["CUDA0"],
}


def failing(monkeypatch: pytest.MonkeyPatch, error: QuernError) -> QuernError:
    def fail(*_: object) -> Json:
        raise error

    monkeypatch.setattr(ASK, fail)
    with pytest.raises(QuernError) as raised:
        ask_dry_run(PATH, LoadSettings(), has_gpus=False)
    return raised.value


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (
            WorkerFailed("dry_run", "x", "LoadRefused", {"reason": "missing tensor 'a'"}),
            FitUnknown,
            "missing tensor 'a'",
        ),
        (WorkerFailed("dry_run", "x", "ContextRefused", {"reason": "0 cells."}), SettingsRefused, "settings: 0 cells."),
        (WorkerFailed("dry_run", "x", "ContextRefused", {"reason": "std::bad_alloc"}), SettingsRefused, "memory"),
        (WorkerFailed("dry_run", "It ended with code 1. Oh."), FitUnknown, "It ended with code 1. Oh"),
        (WorkerCrashed("dry_run", "SIGSEGV"), FitUnknown, "crashed over it (SIGSEGV)"),
        (WorkerTimedOut("dry_run", 60.0), FitUnknown, "within 60 s"),
        (
            WorkerAborted("dry_run", "load: loading\na/b.cpp:12: GGML_ASSERT(n_head(0) > 0) failed\n"),
            FitUnknown,
            "failed check (n_head(0) > 0)",
        ),
        (WorkerAborted("dry_run", "what(): basic_string"), FitUnknown, "failed check"),
        (Cancelled(), Cancelled, ""),
    ],
)
def test_an_end_without_an_answer_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, error: QuernError, kind: type[QuernError], said: str
) -> None:
    raised = failing(monkeypatch, error)
    assert type(raised) is kind
    assert said in raised.what
    assert raised.what.count(".") >= 1
    assert "Traceback" not in raised.what


def test_the_answer_is_read() -> None:
    assert answer_of(SAID) == DryRunAnswer(
        devices={
            "CPU": Needs(weights=5, kv=3, recurrent=2, compute=1),
            "CUDA0": Needs(weights=50, kv=30, recurrent=20, compute=10),
        },
        plain_weights=4,
        output=7,
        work=None,
        resident=8,
        knows_weights=True,
        n_vocab=9,
        gpus=("CUDA0",),
    )


STRANGE: list[Json] = [
    None,
    [],
    {},
    {**SAID, "output": "7"},
    {**SAID, "devices": [{}]},
    {**SAID, "devices": [{"device": "CPU", "weights": 5, "kv": 3, "recurrent": 2, "compute": 1}]},
    {**SAID, "gpus": 1},
]


@pytest.mark.parametrize("document", STRANGE)
def test_any_other_answer_is_not_understood(document: Json) -> None:
    with pytest.raises(FitUnknown) as unknown:
        answer_of(document)
    assert "understood" in unknown.value.what


@pytest.mark.parametrize(("has_gpus", "bound"), [(False, MEMORY_BYTES), (True, None)])
def test_memory_is_bounded_where_no_driver_reserves_it(
    monkeypatch: pytest.MonkeyPatch, *, has_gpus: bool, bound: int | None
) -> None:
    seen: list[ChildLimits] = []

    def note(_name: str, _question: Json, limits: ChildLimits, _cancel: object) -> Json:
        seen.append(limits)
        return SAID

    monkeypatch.setattr(ASK, note)
    ask_dry_run(PATH, LoadSettings(), has_gpus=has_gpus)
    assert [limits.memory_bytes for limits in seen] == [bound]
