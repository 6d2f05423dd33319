"""The sizes of buffers as llama.cpp logs them: the second witness for a memory breakdown, and its replacement."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MIB = 1024 * 1024
ROUNDING_BYTES = 0.00501 * MIB  # "%.2f MiB"

# llama-model.cpp load_tensors; llama-kv-cache.cpp, llama-memory-recurrent.cpp constructors; llama-context.cpp
# sched_reserve and constructor.
_BUFFER = re.compile(r": +(\S.*?) +(model|KV|RS|compute|output) buffer size = +([0-9.]+) MiB")
# ggml-backend.cpp, ggml_backend_sched_print_assignments (GGML_SCHED_DEBUG=1); llama-context.cpp, constructor.
_SPLIT = re.compile(r"## SPLIT #(\d+): (\S+) # (\d+) inputs")
_PIPELINE = "pipeline parallelism enabled"
_TOTAL = re.compile(r"(llama_kv_cache|llama_memory_recurrent): size = +([0-9.]+) MiB")


class LogPart(StrEnum):
    """What a logged buffer is for."""

    MODEL = "model"
    KV = "KV"
    RECURRENT = "RS"
    COMPUTE = "compute"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class LoggedBuffer:
    """One line about one buffer; `name` is that of the buffer ("CPU_Mapped") or its type. Exact to 0.01 MiB."""

    part: LogPart
    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class LogFigures:
    """The buffers of a load, and the sums of all KV and recurrent caches, in bytes to 0.01 MiB each.

    In a dry run the lines of model and KV buffers say 0; the sums, compute and output are right. `extra_inputs` are the
    inputs that backends had in the graph that a dry run measures and not in the one that computes: (name, how many).
    """

    buffers: tuple[LoggedBuffer, ...] = ()
    kv_bytes: tuple[int, ...] = ()
    recurrent_bytes: tuple[int, ...] = ()
    is_pipelined: bool = False
    extra_inputs: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, lines: Iterable[str]) -> "LogFigures":
        """Read the figures in `lines`."""
        text = "\n".join(lines)
        totals = [(name, _bytes(mib)) for name, mib in _TOTAL.findall(text)]
        return cls(
            buffers=tuple(LoggedBuffer(LogPart(part), name, _bytes(mib)) for name, part, mib in _BUFFER.findall(text)),
            kv_bytes=tuple(size for name, size in totals if name == "llama_kv_cache"),
            recurrent_bytes=tuple(size for name, size in totals if name != "llama_kv_cache"),
            is_pipelined=_PIPELINE in text,
            extra_inputs=_extra_inputs(text),
        )

    def __add__(self, other: "LogFigures") -> "LogFigures":
        return LogFigures(
            self.buffers + other.buffers,
            self.kv_bytes + other.kv_bytes,
            self.recurrent_bytes + other.recurrent_bytes,
            self.is_pipelined or other.is_pipelined,
            self.extra_inputs + other.extra_inputs,
        )

    def of_part(self, part: LogPart) -> tuple[LoggedBuffer, ...]:
        """The lines about one part."""
        return tuple(buffer for buffer in self.buffers if buffer.part is part)

    def total(self, part: LogPart) -> int:
        """Bytes of one part together."""
        return sum(buffer.bytes for buffer in self.of_part(part))


def _bytes(mib: str) -> int:
    return round(float(mib) * MIB)


def _extra_inputs(text: str) -> tuple[tuple[str, int], ...]:
    """Compare the splits of the last graph with those of the third last: a context reserves the largest graph, that of
    a single token, and the largest again (llama-context.cpp, sched_reserve); a dry run measures the first of them.
    """
    graphs: list[dict[str, int]] = []
    for number, backend, n_inputs in _SPLIT.findall(text):
        if number == "0":
            graphs.append({})
        if graphs:
            graphs[-1][backend] = graphs[-1].get(backend, 0) + int(n_inputs)
    if len(graphs) < 3:
        return ()
    measured, computed = graphs[-3], graphs[-1]
    extra = {name: count - computed.get(name, 0) for name, count in measured.items()}
    return tuple((name, count) for name, count in extra.items() if count > 0)
