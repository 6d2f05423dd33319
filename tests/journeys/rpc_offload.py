"""Measures and then really loads a model whose layers lie on RPC servers.

Usage: LLAMA_CPP_LIB_PATH=FOLDER python -m tests.journeys.rpc_offload HOST:PORT... Reads one JSON line
`{"path", "settings"}` after the other and answers each with `{"measured", "loaded", "reckoned", "tokens"}`: by device
`[weights, kv, recurrent, compute]` of the dry run, of the real load and of the closed formulas, and the ids that the
loaded model continued with.
"""

import ctypes
import json
import sys
from pathlib import Path
from typing import cast

from quern.base import JsonObject
from quern.engine.native import NativeMachine
from quern.engine.tokenizer import Tokenizer
from quern.fit import Corrections, DeviceNeed, FitSubject, InstantEstimator, RuntimeCosts
from quern.gguf import read_model_header
from quern.hardware import DeviceKind, EngineDevice, EngineInfo
from quern.llama import Backend
from quern.llama.ggml import library
from quern.spec import LoadSettings, SamplingParams, settings_from_json
from quern.workers.dry_run import answer

PROMPT = [1, 100, 200, 30, 40, 50]
N_TOKENS = 8


def connect(endpoint: str) -> None:
    """Let the engine see the devices of a server."""
    add = library("ggml-rpc").ggml_backend_rpc_add_server
    add.argtypes, add.restype = [ctypes.c_char_p], ctypes.c_void_p
    register = library("ggml").ggml_backend_register
    register.argtypes, register.restype = [ctypes.c_void_p], None
    register(add(endpoint.encode()))


def engine() -> EngineInfo:
    """Return what the engine sees now."""
    backend = Backend.start()
    devices = tuple(
        EngineDevice(
            name=device.name,
            description=device.description,
            kind=DeviceKind(device.kind.name.lower()),
            backend=device.backend,
            free=device.free_bytes,
            total=device.total_bytes,
        )
        for device in backend.devices()
    )
    return EngineInfo(version="", build="", system_info=backend.system_info, backends=(), devices=devices)


def measured(path: Path, settings: JsonObject) -> JsonObject:
    """Return what a dry run says."""
    found = answer({"path": str(path), "settings": settings})
    assert isinstance(found, dict)
    assert found["is_exact"] is True
    devices = cast("list[JsonObject]", found["devices"])
    parts = ("weights", "kv", "recurrent", "compute")
    return {str(device["device"]): [device[part] for part in parts] for device in devices}


def parts_of(needs: tuple[DeviceNeed, ...]) -> JsonObject:
    """Return needs in the same form."""
    return {
        need.device: [need.needs.weights, need.needs.kv, need.needs.recurrent, need.needs.compute] for need in needs
    }


def loaded(path: Path, settings: LoadSettings) -> tuple[JsonObject, list[int]]:
    """Load the model; return what it took, and how it continues the prompt."""
    machine = NativeMachine(path, settings, lambda _share: True)
    try:
        needs = parts_of(machine.facts(Tokenizer(machine.vocab)).measured)
        machine.decode(PROMPT, 0)
        machine.begin_sampling(SamplingParams(temperature=0), PROMPT)
        tokens: list[int] = []
        for position in range(len(PROMPT), len(PROMPT) + N_TOKENS):
            tokens.append(machine.sample())
            machine.decode(tokens[-1:], position)
        return needs, tokens
    finally:
        machine.close()


def main(endpoints: list[str]) -> None:
    """Answer until stdin ends."""
    Backend.start()
    for endpoint in endpoints:
        connect(endpoint)
    for line in sys.stdin:
        question = json.loads(line)
        path, settings = Path(question["path"]), settings_from_json(question["settings"])
        instant = InstantEstimator(FitSubject(model=read_model_header(path)), engine(), RuntimeCosts(), Corrections())
        needs, tokens = loaded(path, settings)
        said: JsonObject = {
            "measured": measured(path, question["settings"]),
            "loaded": needs,
            "reckoned": parts_of(instant.needs(settings)),
            "tokens": list(tokens),
        }
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
