"""Finds settings that a model survives on this machine, in child processes, and remembers them."""

import json
import logging
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import time

from quern import engine
from quern.base import (
    CancelToken,
    ChildLimits,
    Database,
    Json,
    QuernError,
    Schema,
    WorkerAborted,
    WorkerCrashed,
    WorkerFailed,
    WorkerTimedOut,
)
from quern.engine import ContextNotCreatable, engine_build, error_from_last_words, has_gpu_backend
from quern.gguf import FileSource, find_shards
from quern.hardware import detect_cpu, detect_memory
from quern.spec import LoadSettings, settings_to_json

from .proof import Attempt, NoRungWorks, Outcome, Proof, attempts_from_json, attempts_to_json
from .rung import Rung, ladder
from .trial_worker import TrialWorker, trial_worker

logger = logging.getLogger(__name__)

TABLES = Schema(
    room="trials",
    migrations=(
        """
        CREATE TABLE trials (
            content_id TEXT NOT NULL,
            engine_build TEXT NOT NULL,
            device_identity TEXT NOT NULL,
            kernel_settings TEXT NOT NULL,
            rung TEXT NOT NULL,
            n_ctx_cells INTEGER NOT NULL,
            proven_at REAL NOT NULL,
            PRIMARY KEY (content_id, engine_build, device_identity, kernel_settings)
        ) STRICT;
        """,
        # What was proven before the attempts were kept cannot say why, so it is proven once more.
        """
        DELETE FROM trials;
        ALTER TABLE trials ADD COLUMN attempts TEXT NOT NULL DEFAULT '[]';
        """,
    ),
)

KERNEL_SETTINGS = (
    "n_gpu_layers",
    "flash_attention",
    "type_k",
    "type_v",
    "extra_buffers",
    "n_cpu_moe_layers",
    "tensor_split",
    "kv_unified",
    "swa_full",
)
DEFAULT_CTX_CELLS = 4096
START_LIMIT_S = 30.0
SLOWEST_DISK_BYTES_PER_S = 30 * 1024 * 1024
MEMORY_SLACK_BYTES = 2 * 1024**3
LIGHT_MODEL_BYTES = 512 * 1024**2


class Trials:
    """Owns the memory of what was proven. Thread-safe. A read-only database recalls only, without one it forgets."""

    def __init__(
        self, database: Database | None, *, new_worker: Callable[[ChildLimits], TrialWorker] = trial_worker
    ) -> None:
        self._database = database
        self._new_worker = new_worker

    def prove(
        self,
        path: Path,
        content_id: str,
        settings: LoadSettings,
        cancel: CancelToken | None = None,
        *,
        needed_bytes: int | None = None,
    ) -> Proof:
        """Return settings under which the model at `path` runs here: remembered ones, or the first rung that passes.

        `needed_bytes` is what the load takes of the machine's memory, where the fit knows it: the child gets that.

        A remembered proof starts no child; it holds for contexts of up to the size that was proven. Raises NoRungWorks,
        what the engine says of a model that cannot be loaded at all (no rung would change it), gguf's errors for a
        file that is gone, and Cancelled.
        """
        try:
            if (proof := self.recall(content_id, settings)) is not None:
                return proof
        except QuernError as error:
            logger.info("what was proven cannot be read, so it is proven again: %s", error)
        attempts: list[Attempt] = []
        rungs, limits = ladder(settings), _limits(path, needed_bytes)
        is_light = _is_light(path, settings)
        with ExitStack() as started:
            workers = [self._new_worker(limits) for _ in rungs]
            for worker in workers:
                started.callback(worker.close)
            for rung, worker, spare in zip(rungs, workers, [*workers[1:], None], strict=True):
                worker.start()
                if spare is not None:  # Python starts beside the load, should the next rung be needed
                    if is_light:
                        spare.prepare(_question(path, settings, rungs[len(attempts) + 1]), cancel)
                    else:
                        spare.start()
                attempt = _attempt(worker, path, settings, rung, cancel)
                attempts.append(attempt)
                if attempt.outcome is Outcome.PASSED:
                    proof = Proof(
                        settings=rung.applied_to(settings), rung=rung, remembered=False, attempts=(*attempts,)
                    )
                    self._remember(content_id, settings, proof)
                    return proof
        raise _verdict(path, tuple(attempts))

    def recall(self, content_id: str, settings: LoadSettings) -> Proof | None:
        """Return what is remembered for this model, engine, device and settings; None where nothing is."""
        if self._database is None:
            return None
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT rung, n_ctx_cells, attempts FROM trials WHERE content_id = ? AND engine_build = ?"
                " AND device_identity = ? AND kernel_settings = ?",
                _key(content_id, settings),
            ).fetchone()
        if row is None or row[1] < (settings.n_ctx_cells or DEFAULT_CTX_CELLS):
            return None
        try:
            rung, attempts = Rung(row[0]), attempts_from_json(row[2])
        except (ValueError, KeyError, TypeError):
            return None  # another Quern's words
        return Proof(settings=rung.applied_to(settings), rung=rung, remembered=True, attempts=attempts)

    def newest_rung(self, content_id: str) -> Rung | None:
        """Return the rung that the last proof of this model came to here, whatever its settings; None without one.

        Raises the database's errors.
        """
        if self._database is None:
            return None
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT rung FROM trials WHERE content_id = ? AND engine_build = ? AND device_identity = ?"
                " ORDER BY proven_at DESC LIMIT 1",
                (content_id, engine_build(), device_identity()),
            ).fetchone()
        return Rung(row[0]) if row is not None and row[0] in tuple(Rung) else None

    def forget(self, content_id: str) -> None:
        """Forget what was proven of a model, so that the next `prove` tries again."""
        if self._database is None or self._database.is_read_only:
            return
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM trials WHERE content_id = ?", (content_id,))

    def _remember(self, content_id: str, settings: LoadSettings, proof: Proof) -> None:
        if self._database is None or self._database.is_read_only:
            return
        n_ctx_cells = settings.n_ctx_cells or DEFAULT_CTX_CELLS
        row = (*_key(content_id, settings), proof.rung.value, n_ctx_cells, time(), attempts_to_json(proof.attempts))
        try:
            with self._database.transaction() as connection:
                connection.execute("INSERT OR REPLACE INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        except QuernError as error:
            logger.info("a proof is not remembered, so it costs its time again: %s", error)


@cache
def device_identity() -> str:
    """A name for what computes here: it changes with the CPU's brand or features, and with nothing else."""
    cpu = detect_cpu()
    features = " ".join(sorted(cpu.features))
    return f"{cpu.brand} {sha256(f'{cpu.architecture} {features}'.encode()).hexdigest()[:16]}"


def _attempt(
    worker: TrialWorker, path: Path, settings: LoadSettings, rung: Rung, cancel: CancelToken | None
) -> Attempt:
    try:
        worker.ask(_question(path, settings, rung), cancel=cancel)
    except WorkerCrashed as error:
        killed = error.signal_name == "SIGKILL"
        return Attempt(rung, Outcome.KILLED if killed else Outcome.CRASHED, error.signal_name)
    except WorkerAborted as error:
        return Attempt(rung, Outcome.ABORTED, error.last_words)
    except WorkerTimedOut as error:
        return Attempt(rung, Outcome.HUNG, f"{error.seconds:.0f} s")
    except WorkerFailed as error:
        if error.kind == engine.NotNumbers.__name__:
            return Attempt(rung, Outcome.NOT_NUMBERS)
        raise _engine_error(path, error) from error
    return Attempt(rung, Outcome.PASSED)


def _question(path: Path, settings: LoadSettings, rung: Rung) -> Json:
    return {"path": str(path), "settings": settings_to_json(rung.applied_to(settings))}


def _is_light(path: Path, settings: LoadSettings) -> bool:
    """Whether two children can hold the model at the same time without a thought for memory."""
    size_bytes = sum(_size_bytes(shard) for shard in find_shards(path))
    n_ctx_cells = settings.n_ctx_cells or DEFAULT_CTX_CELLS
    return size_bytes <= LIGHT_MODEL_BYTES and n_ctx_cells <= DEFAULT_CTX_CELLS and not has_gpu_backend()


def _key(content_id: str, settings: LoadSettings) -> tuple[str, str, str, str]:
    document = settings_to_json(settings)
    kernel_settings = json.dumps({name: document[name] for name in KERNEL_SETTINGS})
    return content_id, engine_build(), device_identity(), kernel_settings


def _limits(path: Path, needed_bytes: int | None) -> ChildLimits:
    """Time to read the file from a slow disk and start; what the load takes, where address space is memory.

    What it takes is known from the fit, with an error of a tenth at most; else all that is free may be taken.
    """
    size_bytes = sum(_size_bytes(shard) for shard in find_shards(path))
    memory_bytes = None
    if not has_gpu_backend():
        guess = detect_memory().available_bytes + size_bytes
        memory_bytes = MEMORY_SLACK_BYTES + (guess if needed_bytes is None else size_bytes + needed_bytes * 11 // 10)
    return ChildLimits(START_LIMIT_S + size_bytes / SLOWEST_DISK_BYTES_PER_S, memory_bytes)


def _size_bytes(path: Path) -> int:
    with FileSource(path) as source:
        return source.size_bytes


def _verdict(path: Path, attempts: tuple[Attempt, ...]) -> QuernError:
    """The error for a ladder without a rung that holds: llama.cpp's own words where it had the time for them."""
    last = attempts[-1]
    if all(attempt.outcome is Outcome.KILLED for attempt in attempts):
        return ContextNotCreatable("the system stopped the trial, as it does when memory runs out")
    if last.outcome is Outcome.ABORTED and (cause := error_from_last_words(path, last.detail)) is not None:
        return cause
    return NoRungWorks(path, attempts)


def _engine_error(path: Path, error: WorkerFailed) -> QuernError:
    """The engine's own error out of the worker's words; `error` itself where it names none."""
    fields = {name: value for name, value in error.fields.items() if name != "path"}
    kind = getattr(engine, error.kind, None) if error.kind in engine.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, QuernError)):
        return error
    if "path" in error.fields:
        fields = {"path": path, **fields}
    return kind(**fields)
