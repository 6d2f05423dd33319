"""Partial offload without a GPU: layers on RPC servers, foretold device by device to the byte.

Skipped where there is no llama-cpp-python that was built with GGML_RPC=ON, of the version that Quern uses;
QUERN_TEST_RPC_PYTHON names the interpreter that has one.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from quern.models import starter_path
from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings, settings_to_json
from tests.journeys.tiny_moe import N_LAYERS, forge_moe

PYTHON = os.environ.get("QUERN_TEST_RPC_PYTHON", "")
pytestmark = pytest.mark.skipif(not PYTHON, reason="QUERN_TEST_RPC_PYTHON names no llama-cpp-python with RPC")

FIND_LIBRARY = (
    "import importlib.util, pathlib; "
    "print(pathlib.Path(importlib.util.find_spec('llama_cpp').submodule_search_locations[0]) / 'lib')"
)
STARTER_LAYERS = 30
SETTINGS = LoadSettings(
    n_ctx_cells=1024,
    n_threads=1,
    flash_attention=FlashAttention.OFF,
    extra_buffers=ExtraBuffers.AVOIDED,
    mmap=False,
)
WEIGHTS, KV, RECURRENT, COMPUTE = range(4)
Split = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Said:
    """What the offloading process said about one load."""

    measured: Split
    loaded: Split
    reckoned: Split
    tokens: list[int]


class Offloader:
    """Owns a process that offloads to servers."""

    def __init__(self, environ: dict[str, str], endpoints: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.journeys.rpc_offload", *endpoints],
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, path: Path, settings: LoadSettings) -> Said:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"path": str(path), "settings": settings_to_json(settings)}) + "\n")
        self._process.stdin.flush()
        return Said(**json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()


def free_endpoint() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def wait_for(endpoint: str) -> None:
    host, port = endpoint.split(":")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.05)
    pytest.fail(f"nobody serves at {endpoint}")


@pytest.fixture(scope="module")
def environ() -> dict[str, str]:
    found = subprocess.run([PYTHON, "-c", FIND_LIBRARY], capture_output=True, text=True, check=True)
    return os.environ | {"LLAMA_CPP_LIB_PATH": found.stdout.strip()}


@pytest.fixture(scope="module")
def servers(environ: dict[str, str]) -> Iterator[list[str]]:
    endpoints = [free_endpoint(), free_endpoint()]
    command = [sys.executable, "-m", "tests.journeys.rpc_server"]
    started = [
        subprocess.Popen([*command, endpoint], env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for endpoint in endpoints
    ]
    try:
        for endpoint in endpoints:
            wait_for(endpoint)
        yield endpoints
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def one(environ: dict[str, str], servers: list[str]) -> Iterator[Offloader]:
    offloader = Offloader(environ, servers[:1])
    yield offloader
    offloader.close()


@pytest.fixture(scope="module")
def two(environ: dict[str, str], servers: list[str]) -> Iterator[Offloader]:
    offloader = Offloader(environ, servers)
    yield offloader
    offloader.close()


def total(split: Split, part: int) -> int:
    return sum(parts[part] for parts in split.values())


def check(said: Said) -> None:
    """The dry run foretold the load to the byte; so did the formulas, where they promise it."""
    assert said.measured == said.loaded
    for device, parts in said.loaded.items():
        assert said.reckoned[device][KV] == parts[KV]
        assert said.reckoned[device][RECURRENT] == parts[RECURRENT]
        assert said.reckoned[device][WEIGHTS] == pytest.approx(parts[WEIGHTS], rel=0.005)


@pytest.mark.usefixtures("starter_model")
@pytest.mark.parametrize("n_gpu_layers", [0, 1, 2, 11, STARTER_LAYERS, STARTER_LAYERS + 1, None])
def test_layers_on_one_server(one: Offloader, n_gpu_layers: int | None) -> None:
    path = starter_path()
    assert path is not None
    said = one.ask(path, replace(SETTINGS, n_gpu_layers=n_gpu_layers))
    check(said)
    n_away = STARTER_LAYERS if n_gpu_layers is None else max(0, min(n_gpu_layers, STARTER_LAYERS + 1) - 1)
    kv = total(said.loaded, KV)
    assert said.loaded.get("RPC0", [0] * 4)[KV] == kv * n_away // STARTER_LAYERS
    assert said.tokens == one.ask(path, replace(SETTINGS, n_gpu_layers=0)).tokens


@pytest.mark.usefixtures("starter_model")
@pytest.mark.parametrize(
    "changes",
    [
        replace(SETTINGS, n_ctx_cells=4096, flash_attention=FlashAttention.ON),
        replace(SETTINGS, flash_attention=FlashAttention.AUTO, n_ubatch_tokens=64),
        replace(SETTINGS, flash_attention=FlashAttention.ON, type_k=KvType.Q8_0, type_v=KvType.Q8_0),
        replace(SETTINGS, n_seq_max=4, kv_unified=False),
    ],
)
def test_other_settings_on_one_server(one: Offloader, changes: LoadSettings) -> None:
    path = starter_path()
    assert path is not None
    check(one.ask(path, replace(changes, n_gpu_layers=17)))


@pytest.mark.usefixtures("starter_model")
@pytest.mark.parametrize(
    ("split", "n_gpu_layers", "kv_layers"),
    [
        ((1.0, 1.0), None, {"CPU": 0, "RPC0": 16, "RPC1": 14}),
        ((3.0, 1.0), None, {"CPU": 0, "RPC0": 24, "RPC1": 6}),
        ((0.0, 1.0), None, {"CPU": 0, "RPC0": 0, "RPC1": 30}),
        ((1.0, 2.0), 13, {"CPU": 18, "RPC0": 5, "RPC1": 7}),
    ],
)
def test_layers_are_shared_out_over_two_servers(
    two: Offloader, split: tuple[float, ...], n_gpu_layers: int | None, kv_layers: dict[str, int]
) -> None:
    path = starter_path()
    assert path is not None
    said = two.ask(path, replace(SETTINGS, n_gpu_layers=n_gpu_layers, tensor_split=split))
    check(said)
    kv = total(said.loaded, KV)
    assert {name: parts[KV] * STARTER_LAYERS // kv for name, parts in said.loaded.items()} == kv_layers


@pytest.mark.usefixtures("starter_model")
@pytest.mark.parametrize(
    "changes",
    [
        replace(SETTINGS, flash_attention=FlashAttention.ON),
        replace(SETTINGS, n_ubatch_tokens=64),
        replace(SETTINGS, n_seq_max=3, kv_unified=False),
        replace(SETTINGS, n_gpu_layers=9),
    ],
)
def test_other_settings_on_two_servers(two: Offloader, changes: LoadSettings) -> None:
    path = starter_path()
    assert path is not None
    check(two.ask(path, replace(changes, tensor_split=(2.0, 1.0))))


@pytest.mark.parametrize("n_cpu_moe_layers", [0, 1, N_LAYERS])
def test_experts_stay_on_the_cpu_beside_two_servers(two: Offloader, tmp_path: Path, n_cpu_moe_layers: int) -> None:
    path = forge_moe(tmp_path / "moe.gguf")
    check(two.ask(path, replace(SETTINGS, tensor_split=(1.0, 1.0), n_cpu_moe_layers=n_cpu_moe_layers)))


@pytest.mark.parametrize("n_cpu_moe_layers", [0, 1, 3, N_LAYERS, 99])
def test_experts_stay_on_the_cpu(one: Offloader, tmp_path: Path, n_cpu_moe_layers: int) -> None:
    path = forge_moe(tmp_path / "moe.gguf")
    said = one.ask(path, replace(SETTINGS, n_gpu_layers=None, n_cpu_moe_layers=n_cpu_moe_layers))
    check(said)
    whole = one.ask(path, replace(SETTINGS, n_gpu_layers=None))
    n_moved = min(n_cpu_moe_layers, N_LAYERS)
    experts = 3 * 64 * 128 * 4 * 4
    assert said.loaded["CPU"][WEIGHTS] == whole.loaded["CPU"][WEIGHTS] + n_moved * experts
    assert said.loaded["RPC0"][WEIGHTS] == whole.loaded["RPC0"][WEIGHTS] - n_moved * experts
    assert said.loaded["RPC0"][KV] == total(said.loaded, KV)
