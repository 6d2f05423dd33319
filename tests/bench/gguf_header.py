"""Reading headers: against `gguf.GGUFReader` on a vocabulary of 262,144 tokens, and a long run of lying headers.

Usage: python -m tests.bench.gguf_header [MODEL.gguf...] | --fuzz N [SEED]. Prints JSON.

Without --fuzz: medians in ms of RUNS interleaved runs of both readers on a file written with the gguf package (262,144
tokens, scores, types and merges) and on each MODEL, their ratio, and how many reads ours takes. GGUFReader takes many
seconds a run. With --fuzz: N mutated headers read one after another; how often each answer came, the longest time, and
the largest memory taken at once (tracemalloc); exits with 1 when anything but an answer or a named refusal came, or a
bound was broken.
"""

import json
import random
import statistics
import sys
import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path
from time import perf_counter

from tests.gguf.mutation import mutate, seeds
from tests.gguf.test_fuzz import read_all

from quern.gguf import MEMORY_BOUND_BYTES, FileSource, read_header

RUNS = 5
N_TOKENS = 262_144
TIME_BOUND_S = 1.0
SHOWN = 20_000


class Counted(FileSource):
    """A file that counts how often it is read."""

    n_reads = 0

    def read_at(self, offset: int, length: int) -> bytes:
        """Return what the file holds there."""
        self.n_reads += 1
        return super().read_at(offset, length)


def write_vocabulary(path: Path) -> None:
    """Write a model with a large vocabulary, as the gguf package writes it."""
    import numpy

    from gguf import GGUFWriter

    draw = random.Random(1)
    tokens = ["".join(chr(draw.randint(97, 122)) for _ in range(draw.randint(1, 14))) for _ in range(N_TOKENS)]
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(8192)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(number) for number in range(N_TOKENS)])
    writer.add_token_types([1] * N_TOKENS)
    writer.add_token_merges([f"{left} {right}" for left, right in zip(tokens, reversed(tokens), strict=True)])
    writer.add_tensor("token_embd.weight", numpy.zeros((4, 32), dtype=numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_ours(path: Path) -> int:
    """Read the header; return how many reads it took."""
    with Counted(path) as source:
        read_header(source)
        return source.n_reads


def read_theirs(path: Path) -> None:
    """Read the file with the gguf package."""
    from gguf import GGUFReader

    GGUFReader(path)


def compare(path: Path) -> dict[str, object]:
    """Time both readers on `path`, in turns."""
    ours_s: list[float] = []
    theirs_s: list[float] = []
    n_reads = read_ours(path)
    for _ in range(RUNS):
        start = perf_counter()
        read_ours(path)
        middle = perf_counter()
        read_theirs(path)
        ours_s.append(middle - start)
        theirs_s.append(perf_counter() - middle)
    ours, theirs = statistics.median(ours_s), statistics.median(theirs_s)
    figures = {"quern_ms": 1000 * ours, "gguf_reader_ms": 1000 * theirs, "ratio": theirs / ours}
    return {"file": path.name, "runs": RUNS, "reads": n_reads, **{k: round(v, 1) for k, v in figures.items()}}


def fuzz(count: int, seed: int) -> int:
    """Read `count` mutated headers, print what came of them, and return the exit code."""
    answers: Counter[str] = Counter()
    longest_s, peak_bytes, n_strange = 0.0, 0, 0
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        good = seeds(Path(folder))
    tracemalloc.start()
    for number in range(count):
        data = mutate(draw, draw.choice(good))
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        start = perf_counter()
        try:
            answer = type(read_all(data)).__name__.replace("NoneType", "read")
        except Exception as error:
            answer, n_strange = f"STRANGE {type(error).__name__}: {error}"[:100], n_strange + 1
        longest_s = max(longest_s, perf_counter() - start)
        peak_bytes = max(peak_bytes, tracemalloc.get_traced_memory()[1] - before)
        answers[answer] += 1
        if (number + 1) % SHOWN == 0:
            print(f"{number + 1:,} read", file=sys.stderr, flush=True)
    tracemalloc.stop()
    report = {"headers": count, "seed": seed, "longest_ms": round(1000 * longest_s, 1), "peak_bytes": peak_bytes}
    print(json.dumps({**report, "bound_bytes": MEMORY_BOUND_BYTES, "answers": dict(answers.most_common())}))
    return int(n_strange > 0 or longest_s > TIME_BOUND_S or peak_bytes > MEMORY_BOUND_BYTES)


def main(arguments: list[str]) -> int:
    """Do what the arguments ask for; return the exit code."""
    if arguments[:1] == ["--fuzz"]:
        return fuzz(int(arguments[1]), int(arguments[2]) if len(arguments) > 2 else 1)
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "vocabulary262144.gguf")
        write_vocabulary(written)
        for path in (written, *map(Path, arguments)):
            print(json.dumps(compare(path)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
