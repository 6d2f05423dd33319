"""Asks the worker `dry_run` what llama.cpp itself says of a load, and makes sentences of every way it can fail."""

from dataclasses import dataclass
from pathlib import Path

from quern.base import (
    CancelToken,
    ChildLimits,
    Json,
    JsonObject,
    WorkerAborted,
    WorkerCrashed,
    WorkerFailed,
    WorkerTimedOut,
    ask_worker,
)
from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.errors import FitUnknown
from quern.fit.need import Needs
from quern.gguf import Header
from quern.spec import LoadSettings, settings_to_json

WORKER = "dry_run"
TIME_S = 60.0
# Recurrent state is really allocated in a dry run. Not with a GPU: its driver reserves more addresses than this.
MEMORY_BYTES = 16 << 30
_REFUSALS = {"LoadRefused": FitUnknown, "ContextRefused": SettingsRefused}


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRunAnswer:
    """What the worker said: the needs by device ("CPU" is the host), and what they do not count.

    `plain_weights` are the host's weights that lie as they do in the file, which a load may map. `work` is the CPU's
    work buffer and `resident` what the worker grew by: library, vocabulary, graphs, output buffer, recurrent state;
    None where they are not known. `knows_weights` is False where llama.cpp could not say which device holds which.
    `gpus` are the names of the GPUs that the worker saw.
    """

    devices: dict[str, Needs]
    plain_weights: int
    output: int
    work: int | None
    resident: int | None
    knows_weights: bool
    n_vocab: int
    gpus: tuple[str, ...]


def ask_dry_run(
    path: Path,
    settings: LoadSettings,
    *,
    has_gpus: bool,
    header: Header | None = None,
    cancel: CancelToken | None = None,
) -> DryRunAnswer:
    """Return what the model at `path` takes with resolved `settings`.

    Its `header`, where it is given, says how large the vocabulary is, which is then not read. Raises FitUnknown where
    the model is the reason, SettingsRefused where the settings are, Cancelled.
    """
    question: JsonObject = {
        "path": str(path),
        "settings": settings_to_json(settings),
        "vocabulary": None if header is None else _vocabulary_of(header),
    }
    return answer_of(ask(question, has_gpus=has_gpus, cancel=cancel))


def _vocabulary_of(header: Header) -> Json:
    architecture, n_tokens = header.string("general.architecture"), header.array_length("tokenizer.ggml.tokens")
    return None if architecture is None or not n_tokens else {"architecture": architecture, "n_tokens": n_tokens}


def ask(question: JsonObject, *, has_gpus: bool, cancel: CancelToken | None = None) -> Json:
    """Return the worker's answer to any of its questions. Raises FitUnknown, SettingsRefused, Cancelled."""
    try:
        return ask_worker(WORKER, question, ChildLimits(TIME_S, None if has_gpus else MEMORY_BYTES), cancel)
    except WorkerFailed as error:
        raise _REFUSALS.get(error.kind, FitUnknown)(_clause(error)) from error
    except WorkerAborted as error:
        raise FitUnknown(f"llama.cpp stopped itself on a failed check{_check_in(error.last_words)}") from error
    except WorkerCrashed as error:
        raise FitUnknown(f"llama.cpp crashed over it ({error.signal_name})") from error
    except WorkerTimedOut as error:
        raise FitUnknown(f"llama.cpp did not come to an end within {error.seconds:g} s") from error


def answer_of(document: Json) -> DryRunAnswer:
    """Return the answer in `document`. Raises FitUnknown for anything else."""
    match document:
        case {
            "devices": list() as devices,
            "output": int() as output,
            "work": int() | None as work,
            "resident": int() | None as resident,
            "knows_weights": bool() as knows_weights,
            "n_vocab": int() as n_vocab,
            "gpus": list() as gpus,
        }:
            return DryRunAnswer(
                devices=dict(_device_of(device) for device in devices),
                plain_weights=sum(_plain_weights(device) for device in devices),
                output=output,
                work=work,
                resident=resident,
                knows_weights=knows_weights,
                n_vocab=n_vocab,
                gpus=tuple(str(name) for name in gpus),
            )
        case _:
            raise _not_understood()


def _device_of(document: Json) -> tuple[str, Needs]:
    match document:
        case {
            "device": str() as device,
            "weights": int() as weights,
            "kv": int() as kv,
            "recurrent": int() as recurrent,
            "compute": int() as compute,
        }:
            return device, Needs(weights=weights, kv=kv, recurrent=recurrent, compute=compute)
        case _:
            raise _not_understood()


def _plain_weights(document: Json) -> int:
    match document:
        case {"plain_weights": int() as n_bytes}:
            return n_bytes
        case _:
            raise _not_understood()


def _not_understood() -> FitUnknown:
    return FitUnknown("what llama.cpp said of it cannot be understood")


def _clause(error: WorkerFailed) -> str:
    reason = str(error.fields.get("reason") or error.reason)
    if "bad_alloc" in reason or "failed to allocate" in reason:
        return "this machine has not even the memory to measure it"
    return " ".join(reason.split()).rstrip(".")


def _check_in(last_words: str) -> str:
    """The condition in ggml_abort's line "file.cpp:12: GGML_ASSERT(condition) failed", in brackets."""
    for line in reversed(last_words.splitlines()):
        _, found, condition = line.partition("GGML_ASSERT(")
        if found:
            return f" ({condition.rpartition(')')[0]})"
    return ""
