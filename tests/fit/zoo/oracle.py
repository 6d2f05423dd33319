"""What llama.cpp itself says that a model takes: the dry-run worker, kept open for many questions."""

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from quern.base import ChildLimits, JsonObject, WorkerAborted, WorkerFailed, WorkerProcess
from quern.spec import LoadSettings, settings_to_json

LIMITS = ChildLimits(120)
REFUSALS = frozenset({"LoadRefused", "ContextRefused"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Bytes of all devices together; `output` is the buffer of logits that the engine makes."""

    weights: int
    kv: int
    recurrent: int
    compute: int
    output: int


class Oracle:
    """Owns the worker; a context manager. One that died on a question is started again for the next."""

    def __init__(self) -> None:
        self._worker = WorkerProcess("dry_run", LIMITS)

    def measure(self, path: Path, settings: LoadSettings) -> Measured | None:
        """Return what the model at `path` takes, None where llama.cpp refuses it with `settings` or ends on it."""
        question: JsonObject = {"path": str(path), "settings": settings_to_json(settings)}
        try:
            answer = self._worker.ask(question)
        except WorkerAborted:
            return None
        except WorkerFailed as error:
            if error.kind in REFUSALS:
                return None
            raise
        assert isinstance(answer, dict)
        devices, output = answer["devices"], answer["output"]
        assert isinstance(devices, list)
        assert isinstance(output, int)
        sums = dict.fromkeys(("weights", "kv", "recurrent", "compute"), 0)
        for device in devices:
            assert isinstance(device, dict)
            for part in sums:
                value = device[part]
                assert isinstance(value, int)
                sums[part] += value
        return Measured(**sums, output=output)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._worker.close()
