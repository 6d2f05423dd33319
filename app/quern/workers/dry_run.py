"""Measures what loading a model would take, with llama.cpp itself, in a process that a lying header may end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import quern.llama as llama  # a lazy door: the library is loaded when a name of it is first used
from quern.base import Json, JsonObject
from quern.runtime import resident_bytes
from quern.spec import LoadSettings, settings_from_json

if TYPE_CHECKING:
    from quern.llama import ContextParams, DeviceUse, DryRun, Measurement, ModelParams, UnreadVocabulary


def answer(question: Json) -> Json:
    """Answer `{"path", "settings"}` with what the model takes, in bytes.

    `{"devices": [{"device", "weights", "plain_weights", "kv", "recurrent", "compute"}], "output", "work", "resident",
    "knows_weights", "is_exact", "n_ctx_cells", "n_ctx_seq_cells", "n_vocab", "gpus"}`; the host ("CPU") comes first.
    `work` is the CPU's work buffer, None where it is not known. `resident` is by how much this process grew: the
    library, the vocabulary, the structures of a graph, output buffer and recurrent state; only the first question of a
    process can tell. `settings` leave nothing open. The model stays open for the next question about it.

    With `"vocabulary": {"architecture", "n_tokens"}` the vocabulary is not read but taken to be so large, which is
    quicker by far; `resident` is then None.

    `{"projector", "uses_gpu", "n_threads"}`, the first one a path, is answered with `{"devices": {name: bytes}}`.

    Raises LoadRefused, ContextRefused, LibraryMissing.
    """
    assert isinstance(question, dict)
    if "projector" in question:
        return _answer_projector(question)
    assert isinstance(question["settings"], dict)
    settings = settings_from_json(question["settings"])
    vocabulary = _vocabulary(question.get("vocabulary"))
    before_bytes = resident_bytes() if vocabulary is None and not _kept else None
    params = replace(llama.model_params_of(settings, measures_only=True), unread_vocabulary=vocabulary)
    run = _opened(Path(str(question["path"])), params)
    found = run.measure(_context_params(settings))
    return _to_json(found) | {"resident": None if before_bytes is None else resident_bytes() - before_bytes}


def _answer_projector(question: JsonObject) -> Json:
    n_threads = question["n_threads"]
    assert isinstance(n_threads, int)
    path, uses_gpu = Path(str(question["projector"])), question["uses_gpu"] is True
    return {"devices": dict(llama.projector_use(path, uses_gpu=uses_gpu, n_threads=n_threads))}


def _vocabulary(said: Json) -> UnreadVocabulary | None:
    match said:
        case {"architecture": str() as architecture, "n_tokens": int() as n_tokens}:
            return llama.UnreadVocabulary(architecture, n_tokens)
        case _:
            return None


def _context_params(settings: LoadSettings) -> ContextParams:
    return llama.context_params_of(settings, offloads=bool(_gpus()) and settings.n_gpu_layers != 0)


def _gpus() -> list[str]:
    kinds = (llama.DeviceKind.GPU, llama.DeviceKind.INTEGRATED_GPU)
    return [device.name for device in llama.Backend.start().devices() if device.kind in kinds]


_Key = tuple[Path, float | None, "ModelParams"]
_kept: list[tuple[_Key, DryRun]] = []


def _opened(path: Path, params: ModelParams) -> DryRun:
    """Return the measured model, kept open from the question before where it is the same one."""
    key = (path, path.stat().st_mtime if path.exists() else None, params)
    if _kept and _kept[0][0] == key:
        return _kept[0][1]
    while _kept:
        _kept.pop()[1].close()
    run = llama.DryRun(path, params)
    _kept.append((key, run))
    return run


def _to_json(found: Measurement) -> JsonObject:
    return {
        "devices": [_device_to_json(use) for use in found.use.devices],
        "output": found.use.output,
        "work": found.work_bytes,
        "knows_weights": found.knows_weights,
        "is_exact": found.use.is_exact,
        "n_ctx_cells": found.n_ctx_cells,
        "n_ctx_seq_cells": found.n_ctx_seq_cells,
        "n_vocab": found.n_vocab,
        "gpus": list[Json](_gpus()),
    }


def _device_to_json(use: DeviceUse) -> JsonObject:
    return {
        "device": use.device,
        "weights": use.weights,
        "plain_weights": use.plain_weights,
        "kv": use.kv,
        "recurrent": use.recurrent,
        "compute": use.compute,
    }
