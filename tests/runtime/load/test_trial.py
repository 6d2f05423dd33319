"""What a machine survives is found in children, told apart, and remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gguf.forge import TinyModel, forge_llama_model, with_duplicate_token

from quern.base import (
    Cancelled,
    CancelToken,
    ChildLimits,
    Database,
    DiskFull,
    Json,
    QuernError,
    Schema,
    WorkerAborted,
    WorkerCrashed,
    WorkerFailed,
    WorkerTimedOut,
)
from quern.engine import (
    ContextNotCreatable,
    ModelNotLoadable,
    UnknownArchitecture,
    VocabularyUnusable,
)
from quern.gguf import FileUnreadable, content_id
from quern.runtime.load import trial
from quern.runtime.load.rung import Rung
from quern.runtime.load.trial import Attempt, NoRungWorks, Outcome, Trials, device_identity
from quern.runtime.load.trial_worker import trial_worker
from quern.spec import ExtraBuffers, KvType, LoadSettings, settings_to_json

SETTINGS = LoadSettings()
FLUX = WorkerFailed("trial", "x", "UnknownArchitecture", {"path": "/p", "architecture": "flux"})
PASSED: Json = {"ok": True, "device_names": ["CPU"], "prompt_tokens_per_s": 1.0}


class Answers:
    """A stand-in for the workers: answers, or raises, one after the other, and keeps the questions."""

    def __init__(self, *answers: Json | QuernError) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []
        self.limits: list[ChildLimits] = []
        self.cancels: list[CancelToken | None] = []
        self.n_started = self.n_closed = 0
        self.prepared: list[tuple[Json, CancelToken | None]] = []

    def __call__(self, limits: ChildLimits) -> Answers:
        self.limits.append(limits)
        return self

    def start(self) -> None:
        self.n_started += 1

    def prepare(self, question: Json, cancel: CancelToken | None = None) -> None:
        self.prepared.append((question, cancel))

    def close(self) -> None:
        self.n_closed += 1

    def ask(self, question: Json, timeout_s: float | None = None, cancel: CancelToken | None = None) -> Json:
        assert timeout_s is None
        assert isinstance(question, dict)
        assert isinstance(question["settings"], dict)
        self.asked.append(str(question["settings"]["extra_buffers"]))
        self.cancels.append(cancel)
        answer = self._answers.pop(0)
        if isinstance(answer, QuernError):
            raise answer
        return answer


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return forge_llama_model(tmp_path / "tiny.gguf")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "quern.db", (trial.TABLES,), tmp_path / "backups")
    yield opened
    opened.close()


def test_the_first_rung_that_passes_is_taken(model: Path) -> None:
    answers = Answers(PASSED)
    proof = Trials(None, new_worker=answers).prove(model, "id", SETTINGS)
    assert (proof.settings, proof.rung, proof.remembered) == (SETTINGS, Rung.EVERYTHING, False)
    assert answers.asked == ["allowed"]


def test_the_next_rungs_worker_is_warmed_up_meanwhile_and_all_are_closed(model: Path) -> None:
    answers = Answers(PASSED)
    Trials(None, new_worker=answers).prove(model, "id", SETTINGS)
    assert (answers.n_started, len(answers.prepared), answers.n_closed) == (1, 1, 2)
    question, _ = answers.prepared[0]
    assert isinstance(question, dict)
    settings = question["settings"]
    assert isinstance(settings, dict)
    assert settings["extra_buffers"] == "avoided"


@pytest.mark.parametrize("large", [replace(SETTINGS, n_ctx_cells=100_000), None])
def test_what_needs_much_memory_is_not_opened_twice_at_a_time(
    model: Path, monkeypatch: pytest.MonkeyPatch, large: LoadSettings | None
) -> None:
    if large is None:
        monkeypatch.setattr(trial, "LIGHT_MODEL_BYTES", 1)
    answers = Answers(PASSED)
    Trials(None, new_worker=answers).prove(model, "id", large or SETTINGS)
    assert (answers.n_started, answers.prepared, answers.n_closed) == (2, [], 2)


def test_a_child_that_opened_ahead_answers_the_question_and_one_that_could_not_tells_why(
    model: Path, tmp_path: Path
) -> None:
    def question(path: Path) -> Json:
        safe = replace(SETTINGS, extra_buffers=ExtraBuffers.AVOIDED)
        return {"path": str(path), "settings": settings_to_json(safe)}

    worker = trial_worker(ChildLimits(60))
    try:
        worker.prepare(question(model))
        answer = worker.ask(question(model))
        assert isinstance(answer, dict)
        assert answer["ok"] is True
        bad = forge_llama_model(tmp_path / "dup.gguf", with_duplicate_token())
        worker.prepare(question(bad))
        with pytest.raises(WorkerAborted):
            worker.ask(question(bad))
    finally:
        worker.close()


@pytest.mark.parametrize(
    ("error", "outcome", "detail"),
    [
        (WorkerCrashed("trial", "SIGSEGV"), Outcome.CRASHED, "SIGSEGV"),
        (WorkerCrashed("trial", "SIGKILL"), Outcome.KILLED, "SIGKILL"),
        (WorkerAborted("trial", "ggml.c:1: GGML_ASSERT(x) failed"), Outcome.ABORTED, "ggml.c:1: GGML_ASSERT(x) failed"),
        (WorkerTimedOut("trial", 30), Outcome.HUNG, "30 s"),
        (WorkerFailed("trial", "x", "NotNumbers"), Outcome.NOT_NUMBERS, ""),
    ],
)
def test_every_way_to_fail_is_told_apart_and_the_next_rung_tried(
    model: Path, error: QuernError, outcome: Outcome, detail: str
) -> None:
    answers = Answers(error, PASSED)
    proof = Trials(None, new_worker=answers).prove(model, "id", SETTINGS)
    assert proof.rung is Rung.NO_EXTRA_BUFFERS
    assert proof.settings == replace(SETTINGS, extra_buffers=ExtraBuffers.AVOIDED)
    assert answers.asked == ["allowed", "avoided"]
    assert (proof.attempts[0].outcome, proof.attempts[0].detail) == (outcome, detail)
    assert proof.attempts[1].outcome is Outcome.PASSED


def test_a_remembered_proof_starts_no_child(model: Path, database: Database) -> None:
    Trials(database, new_worker=Answers(WorkerCrashed("trial", "SIGILL"), PASSED)).prove(model, "id", SETTINGS)
    proof = Trials(database, new_worker=Answers()).prove(model, "id", SETTINGS)
    assert (proof.rung, proof.remembered) == (Rung.NO_EXTRA_BUFFERS, True)
    assert proof.attempts == (
        Attempt(Rung.EVERYTHING, Outcome.CRASHED, "SIGILL"),
        Attempt(Rung.NO_EXTRA_BUFFERS, Outcome.PASSED),
    )
    assert proof.settings.extra_buffers is ExtraBuffers.AVOIDED


@pytest.mark.parametrize(
    ("column", "value"), [("rung", "hope"), ("attempts", "[3]"), ("attempts", "{"), ("attempts", "[{}]")]
)
def test_a_memory_in_words_that_this_quern_does_not_know_is_proven_anew(
    model: Path, database: Database, column: str, value: str
) -> None:
    Trials(database, new_worker=Answers(PASSED)).prove(model, "id", SETTINGS)
    with database.transaction() as connection:
        connection.execute(f"UPDATE trials SET {column} = ?", (value,))
    assert not Trials(database, new_worker=Answers(PASSED)).prove(model, "id", SETTINGS).remembered


def test_a_proof_from_before_attempts_were_kept_is_made_once_more(model: Path, tmp_path: Path) -> None:
    path, backups = tmp_path / "old.db", tmp_path / "backups"
    old = Database.open(path, (Schema("trials", trial.TABLES.migrations[:1]),), backups)
    with old.transaction() as connection:
        connection.execute("INSERT INTO trials VALUES ('id', 'b', 'd', 'k', 'no_extra_buffers', 4096, 0.0)")
    old.close()
    database = Database.open(path, (trial.TABLES,), backups)
    try:
        with database.reading() as connection:
            assert connection.execute("SELECT count(*) FROM trials").fetchone() == (0,)
        Trials(database, new_worker=Answers(PASSED)).prove(model, "id", SETTINGS)
        assert Trials(database, new_worker=Answers()).prove(model, "id", SETTINGS).attempts
    finally:
        database.close()


@pytest.mark.parametrize(
    "other",
    [
        replace(SETTINGS, type_k=KvType.Q8_0),
        replace(SETTINGS, n_gpu_layers=0),
        replace(SETTINGS, extra_buffers=ExtraBuffers.AVOIDED),
        replace(SETTINGS, n_ctx_cells=100_000),
    ],
)
def test_other_kernels_or_a_larger_context_are_proven_anew(
    model: Path, database: Database, other: LoadSettings
) -> None:
    Trials(database, new_worker=Answers(PASSED)).prove(model, "id", SETTINGS)
    assert not Trials(database, new_worker=Answers(PASSED)).prove(model, "id", other).remembered


@pytest.mark.parametrize("other", [replace(SETTINGS, n_threads=1), replace(SETTINGS, n_ctx_cells=512)])
def test_threads_and_a_smaller_context_are_not(model: Path, database: Database, other: LoadSettings) -> None:
    Trials(database, new_worker=Answers(PASSED)).prove(model, "id", SETTINGS)
    proof = Trials(database, new_worker=Answers()).prove(model, "id", other)
    assert proof.remembered
    assert proof.settings == other


def test_another_model_engine_or_device_is_proven_anew(
    model: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = Trials(database, new_worker=Answers(PASSED))
    trials.prove(model, "id", SETTINGS)
    assert trials.recall("other", SETTINGS) is None
    for name in ("engine_build", "device_identity"):
        with monkeypatch.context() as patched:
            patched.setattr(trial, name, lambda: "another")
            assert trials.recall("id", SETTINGS) is None
    assert trials.recall("id", SETTINGS) is not None


def test_what_is_forgotten_is_proven_anew(model: Path, database: Database) -> None:
    trials = Trials(database, new_worker=Answers(PASSED, PASSED))
    trials.prove(model, "id", SETTINGS)
    trials.forget("id")
    assert not trials.prove(model, "id", SETTINGS).remembered


def test_a_database_that_refuses_costs_the_memory_and_not_the_model(
    model: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise DiskFull(Path("quern.db"))

    answers = Answers(PASSED, PASSED)
    monkeypatch.setattr(database, "transaction", refuse)
    monkeypatch.setattr(database, "reading", refuse)
    trials = Trials(database, new_worker=answers)
    assert trials.prove(model, "id", SETTINGS).rung is Rung.EVERYTHING
    assert not trials.prove(model, "id", SETTINGS).remembered
    assert len(answers.asked) == 2


def test_a_read_only_database_recalls_but_does_not_learn(model: Path, tmp_path: Path, database: Database) -> None:
    Trials(database, new_worker=Answers(PASSED)).prove(model, "known", SETTINGS)
    reader = Database.open_read_only(tmp_path / "quern.db", (trial.TABLES,))
    try:
        trials = Trials(reader, new_worker=Answers(PASSED, PASSED))
        assert trials.prove(model, "known", SETTINGS).remembered
        trials.forget("known")
        assert trials.recall("known", SETTINGS) is not None
        assert not trials.prove(model, "new", SETTINGS).remembered
        assert trials.recall("new", SETTINGS) is None
    finally:
        reader.close()


def test_when_no_rung_holds_the_error_tells_every_attempt(model: Path, database: Database) -> None:
    trials = Trials(database, new_worker=Answers(WorkerCrashed("trial", "SIGSEGV"), WorkerTimedOut("trial", 30)))
    with pytest.raises(NoRungWorks) as failed:
        trials.prove(model, "id", SETTINGS)
    assert [attempt.outcome for attempt in failed.value.attempts] == [Outcome.CRASHED, Outcome.HUNG]
    assert "everything: crashed SIGSEGV; no_extra_buffers: hung 30 s" in failed.value.what
    assert trials.recall("id", SETTINGS) is None


def test_children_that_the_system_kills_ran_out_of_memory(model: Path) -> None:
    killed = [WorkerCrashed("trial", "SIGKILL")] * 2
    with pytest.raises(ContextNotCreatable, match="memory"):
        Trials(None, new_worker=Answers(*killed)).prove(model, "id", SETTINGS)


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (
            WorkerFailed("trial", "x", "UnknownArchitecture", {"path": "/p", "architecture": "flux"}),
            UnknownArchitecture,
        ),
        (WorkerFailed("trial", "x", "ContextNotCreatable", {"reason": "no room"}), ContextNotCreatable),
        (WorkerFailed("trial", "It ended with code 1."), WorkerFailed),
    ],
)
def test_what_no_rung_would_change_is_raised_at_once(
    model: Path, failure: WorkerFailed, kind: type[QuernError]
) -> None:
    answers = Answers(failure)
    with pytest.raises(kind) as raised:
        Trials(None, new_worker=answers).prove(model, "id", SETTINGS)
    assert len(answers.asked) == 1
    if isinstance(raised.value, UnknownArchitecture):
        assert (raised.value.path, raised.value.architecture) == (model, "flux")


def test_the_last_proof_tells_the_rung_whatever_its_settings(model: Path, database: Database) -> None:
    trials = Trials(database, new_worker=Answers(PASSED, WorkerCrashed("trial", "SIGSEGV"), PASSED))
    assert trials.newest_rung("id") is None
    trials.prove(model, "id", SETTINGS)
    assert trials.newest_rung("id") is Rung.EVERYTHING
    trials.prove(model, "id", replace(SETTINGS, n_gpu_layers=0))
    assert trials.newest_rung("id") is Rung.NO_EXTRA_BUFFERS
    assert trials.newest_rung("another") is None
    with database.transaction() as connection:
        connection.execute("UPDATE trials SET rung = 'a newer one'")
    assert trials.newest_rung("id") is None
    assert Trials(None).newest_rung("id") is None


def test_cancel_goes_through(model: Path) -> None:
    answers, cancel = Answers(Cancelled()), CancelToken()
    with pytest.raises(Cancelled):
        Trials(None, new_worker=answers).prove(model, "id", SETTINGS, cancel)
    assert answers.cancels == [cancel]


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable):
        Trials(None, new_worker=Answers()).prove(tmp_path / "gone.gguf", "id", SETTINGS)


def test_the_child_gets_time_and_memory_to_read_the_file(model: Path) -> None:
    answers = Answers(PASSED)
    Trials(None, new_worker=answers).prove(model, "id", SETTINGS)
    limits, spare = answers.limits
    assert limits == spare
    assert limits.time_s >= 30
    assert limits.memory_bytes is None or limits.memory_bytes > 2 * 1024**3


def test_the_child_gets_what_the_load_takes_where_that_is_known(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "has_gpu_backend", lambda: False)
    answers = Answers(PASSED)
    Trials(None, new_worker=answers).prove(model, "id", SETTINGS, needed_bytes=10 * 1024**3)
    assert answers.limits[0].memory_bytes == 13 * 1024**3 + model.stat().st_size


def test_the_child_of_an_engine_with_a_gpu_has_no_limit_on_addresses(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "has_gpu_backend", lambda: True)
    answers = Answers(PASSED)
    Trials(None, new_worker=answers).prove(model, "id", SETTINGS, needed_bytes=10 * 1024**3)
    assert answers.limits[0].memory_bytes is None


def test_the_devices_name_stays_the_same() -> None:
    name: Callable[[], str] = device_identity
    assert name() == name() != ""


def test_ev_01_the_starter_model_finds_a_rung_on_this_machine(starter_model: Path, database: Database) -> None:
    trials = Trials(database)
    name = content_id(starter_model)
    proof = trials.prove(starter_model, name, SETTINGS)
    assert proof.attempts[-1].outcome is Outcome.PASSED
    assert trials.prove(starter_model, name, SETTINGS).remembered


def test_gg_06_a_duplicate_token_names_the_vocabulary(tmp_path: Path) -> None:
    path = forge_llama_model(tmp_path / "dup.gguf", with_duplicate_token())
    with pytest.raises(VocabularyUnusable) as failed:
        Trials(None).prove(path, content_id(path), SETTINGS)
    assert "vocabulary of dup.gguf" in failed.value.what


@pytest.mark.parametrize("n_blocks", [0, 10_000, 2**32 - 1])
def test_gg_08_an_absurd_block_count_is_contained_with_its_reason(tmp_path: Path, n_blocks: int) -> None:
    path = forge_llama_model(tmp_path / "blocks.gguf", TinyModel(metadata={"llama.block_count": n_blocks}))
    with pytest.raises(ModelNotLoadable) as failed:
        Trials(None).prove(path, content_id(path), SETTINGS)
    assert "n_layer" in failed.value.reason
