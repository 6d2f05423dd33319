"""The exact answer against what a real process takes: resident memory of fresh children that fill their context.

Usage: python -m tests.bench.fit_resident [MODEL.gguf...]. Prints one JSON line for each model (the starter model where
none is named), context and way of loading, in MiB.

What is compared: `resident` is by how much the resident set of a child (Linux, /proc/self/statm: anonymous pages and
pages of mapped files) grew from before it loaded llama.cpp to after it has decoded a whole context, in batches of 512
random tokens; `estimate` is the sum of all parts of the exact answer for the same settings, `instant` that of the
closed formulas. The bar is 3 % or 16 MiB, whichever is larger. `parts` are the exact answer's.
"""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from quern.base import Json
from quern.fit import Corrections, ExactEstimator, FitSubject, InstantEstimator, Needs, RuntimeCosts, measure_costs
from quern.gguf import read_model_header
from quern.hardware import DeviceKind, EngineDevice, EngineInfo
from quern.models import starter_path
from quern.runtime import resident_bytes
from quern.spec import ExtraBuffers, FlashAttention, LoadSettings, settings_from_json, settings_to_json

MIB = 1 << 20
CONTEXTS = (512, 2048, 8192)
BATCH_TOKENS = 512
ID_STRIDE = 7919
CPU = EngineDevice(name="CPU", description="", kind=DeviceKind.CPU, backend="CPU", free=1 << 40, total=1 << 40)
ENGINE = EngineInfo(version="", build="", system_info="", backends=("CPU",), devices=(CPU,))


def grown_bytes(path: Path, settings: LoadSettings) -> tuple[int, LoadSettings]:
    """Load the model in this process and fill its context; return by how much the process grew, and the settings."""
    before = resident_bytes()
    from quern.engine.native import NativeMachine

    machine = NativeMachine(path, settings, lambda _share: True)
    n_cells, n_vocab = machine.settings.n_ctx_cells or 0, machine.vocab.n_tokens
    for first in range(0, n_cells, BATCH_TOKENS):
        n_tokens = min(BATCH_TOKENS, n_cells - first)
        machine.decode([(first + index) * ID_STRIDE % n_vocab for index in range(n_tokens)], first)
    return resident_bytes() - before, machine.settings


def serve(line: str) -> None:
    """Answer one question of `measured` on stdout."""
    question = json.loads(line)
    grown, settings = grown_bytes(Path(question["path"]), settings_from_json(question["settings"]))
    print(json.dumps({"grown": grown, "settings": settings_to_json(settings)}))


def measured(path: Path, settings: LoadSettings) -> tuple[int, LoadSettings]:
    """Ask a fresh child how much it grows, and with which settings, nothing left open."""
    question = json.dumps({"path": str(path), "settings": settings_to_json(settings)})
    command = [sys.executable, "-m", "tests.bench.fit_resident", "--child", question]
    answer: dict[str, Json] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    grown, resolved = answer["grown"], answer["settings"]
    assert isinstance(grown, int)
    assert isinstance(resolved, dict)
    return grown, settings_from_json(resolved)


def report(path: Path, settings: LoadSettings) -> None:
    """Measure one load and print what came of it."""
    resident, resolved = measured(path, settings)
    subject = FitSubject(model=read_model_header(path))
    (host,) = ExactEstimator(path, subject, ENGINE, RuntimeCosts()).needs(resolved)
    (reckoned,) = InstantEstimator(subject, ENGINE, RuntimeCosts(), Corrections()).needs(resolved)
    off, bar = host.needs.total - resident, max(0.03 * resident, 16 * MIB)
    figures = {
        "model": path.stem,
        "n_ctx": resolved.n_ctx_cells,
        "mmap": resolved.mmap,
        "flash_attention": resolved.flash_attention.value,
        "resident": _mib(resident),
        "estimate": _mib(host.needs.total),
        "off": _mib(off),
        "bar": _mib(bar),
        "within": abs(off) <= bar,
        "instant": _mib(reckoned.needs.total),
        "parts": _parts(host.needs),
    }
    print(json.dumps(figures), flush=True)


def _parts(needs: Needs) -> dict[str, float]:
    sizes = {field.name: int(getattr(needs, field.name)) for field in fields(needs)}
    return {name: _mib(size) for name, size in sizes.items() if size}


def _mib(n_bytes: float) -> float:
    return round(n_bytes / MIB, 1)


def main(names: list[str]) -> None:
    """Measure every model, each at three contexts, mapped and read, with flash attention as chosen and with it."""
    print(json.dumps(measure_costs().to_json()), flush=True)
    starter = starter_path()
    paths = [Path(name) for name in names] or ([] if starter is None else [starter])
    for path in paths:
        for n_ctx_cells in CONTEXTS:
            for mmap in (True, False):
                for flash_attention in (FlashAttention.AUTO, FlashAttention.ON):
                    settings = LoadSettings(
                        n_ctx_cells=n_ctx_cells,
                        n_threads=2,
                        mmap=mmap,
                        flash_attention=flash_attention,
                        extra_buffers=ExtraBuffers.AVOIDED,
                    )
                    report(path, settings)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        serve(sys.argv[2])
    else:
        main(sys.argv[1:])
