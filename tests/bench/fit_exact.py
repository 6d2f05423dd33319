"""The exact answer: seconds from the question to the needs, the whole child process included, by size of vocabulary.

Usage: python -m tests.bench.fit_exact [RUNS]. Prints JSON lines: medians of RUNS (at least 5) of the exact answer, of a
child that only imports llama-cpp-python and of one that then only loads the vocabulary, which shows how busy the
machine is. `_cpu_s` is processor time, which other programs disturb less. Bars: 0.5 s up to 160,000 tokens, 1.0 s
above.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from math import prod
from pathlib import Path
from random import Random

import numpy

import gguf
from quern.fit import ExactEstimator, FitSubject, RuntimeCosts
from quern.gguf import read_model_header
from quern.hardware import EngineInfo
from quern.models import starter_path
from quern.spec import ExtraBuffers, FlashAttention, LoadSettings

LEAST_RUNS = 5
ENGINE = EngineInfo(version="", build="", system_info="", backends=("CPU",), devices=())
SETTINGS = LoadSettings(
    n_ctx_cells=8192, n_threads=2, flash_attention=FlashAttention.ON, extra_buffers=ExtraBuffers.ALLOWED
)
N_LAYERS, N_EMBD, N_FF, N_HEADS, N_HEADS_KV = 32, 4096, 14336, 32, 8
IMPORT = "import llama_cpp"
LOAD = (
    "import sys; from llama_cpp import llama_cpp as c;"
    "p = c.llama_model_default_params(); p.vocab_only = True; p.load_mode = 0;"
    "c.llama_model_load_from_file(sys.argv[1].encode(), p)"
)


def forge(path: Path, n_vocab: int, *, merges: bool) -> Path:
    """Write the header of an 8B llama with so many tokens, and a hole where its weights would be."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(131072)
    writer.add_embedding_length(N_EMBD)
    writer.add_block_count(N_LAYERS)
    writer.add_feed_forward_length(N_FF)
    writer.add_head_count(N_HEADS)
    writer.add_head_count_kv(N_HEADS_KV)
    writer.add_layer_norm_rms_eps(1e-5)
    _add_vocabulary(writer, n_vocab, merges=merges)
    n_bytes = sum(_add_weight(writer, name, shape) for name, shape in _shapes(n_vocab).items())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    with path.open("r+b") as file:
        size = path.stat().st_size
        file.truncate(size + -size % 32 + n_bytes)
    return path


def _add_vocabulary(writer: gguf.GGUFWriter, n_vocab: int, *, merges: bool) -> None:
    random = Random(1)
    letters = "etaoinshrdlucmfwypvbgk"
    words = {
        "".join(random.choices(letters, k=random.choice((3, 4, 5, 6, 7, 8, 9, 11, 14, 18)))) for _ in range(2 * n_vocab)
    }
    singles = [f"<0x{number:02X}>" for number in range(256)]
    tokens = [*singles, *sorted(words)][:n_vocab]
    random.shuffle(tokens)
    writer.add_tokenizer_model("gpt2" if merges else "llama")
    writer.add_token_list(tokens)
    writer.add_token_types([int(gguf.TokenType.NORMAL)] * n_vocab)
    if merges:
        writer.add_tokenizer_pre("llama-bpe")
        writer.add_token_merges([f"{token[:2]} {token[2:]}" for token in tokens])
    else:
        writer.add_token_scores([-float(number) for number in range(n_vocab)])


def _shapes(n_vocab: int) -> dict[str, tuple[int, ...]]:
    width_kv = N_EMBD // N_HEADS * N_HEADS_KV
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd": (n_vocab, N_EMBD),
        "output_norm": (N_EMBD,),
        "output": (n_vocab, N_EMBD),
    }
    for layer in range(N_LAYERS):
        block: dict[str, tuple[int, ...]] = {
            "attn_norm": (N_EMBD,),
            "attn_q": (N_EMBD, N_EMBD),
            "attn_k": (width_kv, N_EMBD),
            "attn_v": (width_kv, N_EMBD),
            "attn_output": (N_EMBD, N_EMBD),
            "ffn_norm": (N_EMBD,),
            "ffn_gate": (N_FF, N_EMBD),
            "ffn_up": (N_FF, N_EMBD),
            "ffn_down": (N_EMBD, N_FF),
        }
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in block.items()}
    return shapes


def _add_weight(writer: gguf.GGUFWriter, name: str, shape: tuple[int, ...]) -> int:
    """Add a norm in F32 or a matrix in Q4_K; return its bytes with the padding after it."""
    kind = gguf.GGMLQuantizationType.F32 if len(shape) == 1 else gguf.GGMLQuantizationType.Q4_K
    stored, dtype = shape, numpy.dtype(numpy.float32)
    if len(shape) > 1:
        stored, dtype = gguf.quant_shape_to_byte_shape(shape, kind), numpy.dtype(numpy.uint8)
    n_bytes = prod(stored) * dtype.itemsize
    writer.add_tensor_info(f"{name}.weight", stored, dtype, n_bytes, raw_dtype=kind)
    return n_bytes + -n_bytes % 32


def medians_s(run: Callable[[], object], runs: int) -> tuple[float, float]:
    """Return the median seconds of `runs` runs after a warm-up, and those of their children's processor time."""
    run()
    seconds: list[float] = []
    cpu_seconds: list[float] = []
    for _ in range(runs):
        began, cpu_began = time.perf_counter(), children_cpu_s()
        run()
        seconds.append(time.perf_counter() - began)
        cpu_seconds.append(children_cpu_s() - cpu_began)
    return round(statistics.median(seconds), 3), round(statistics.median(cpu_seconds), 3)


def children_cpu_s() -> float:
    """Return the processor time of all children that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def child(program: str, *arguments: str) -> Callable[[], object]:
    """Return a function that runs a Python program in a child."""
    return lambda: subprocess.run([sys.executable, "-c", program, *arguments], check=True, capture_output=True)


def report(name: str, path: Path, runs: int) -> None:
    """Measure one model and print what came of it."""
    header = read_model_header(path)
    estimator = ExactEstimator(path, FitSubject(model=header), ENGINE, RuntimeCosts())
    n_vocab = header.first.array_length("tokenizer.ggml.tokens") or 0
    exact_s, exact_cpu_s = medians_s(lambda: estimator.needs(SETTINGS), runs)
    vocabulary_s, vocabulary_cpu_s = medians_s(child(LOAD, str(path)), runs)
    import_s, import_cpu_s = medians_s(child(IMPORT), runs)
    bar_s = 0.5 if n_vocab <= 160_000 else 1.0
    figures = {
        "model": name,
        "n_vocab": n_vocab,
        "exact_s": exact_s,
        "bar_s": bar_s,
        "within": exact_s <= bar_s,
        "exact_cpu_s": exact_cpu_s,
        "import_s": import_s,
        "import_cpu_s": import_cpu_s,
        "vocabulary_s": vocabulary_s,
        "vocabulary_cpu_s": vocabulary_cpu_s,
    }
    print(json.dumps(figures), flush=True)


def main(runs: int = 7) -> None:
    """Measure the starter model and written ones."""
    runs = max(LEAST_RUNS, runs)
    starter = starter_path()
    if starter is not None:
        report("starter", starter, runs)
    with tempfile.TemporaryDirectory() as folder:
        for merges, n_vocab in ((False, 32_000), (True, 128_256), (True, 151_936), (True, 160_000), (False, 262_144)):
            path = forge(Path(folder) / f"{n_vocab}.gguf", n_vocab, merges=merges)
            report("BPE" if merges else "SPM", path, runs)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
