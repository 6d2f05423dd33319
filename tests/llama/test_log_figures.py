"""Sizes are read from llama.cpp's own lines."""

from quern.llama.log_figures import MIB, LogFigures, LoggedBuffer, LogPart

LINES = (
    "load_tensors:   CPU_Mapped model buffer size =    92.10 MiB\n",
    "load_tensors: RPC0[127.0.0.1:50052] model buffer size =     8.00 MiB\n",
    "llama_kv_cache:        CPU KV buffer size =    90.00 MiB\n",
    "llama_kv_cache: size =   90.00 MiB (  4096 cells,  30 layers,  1/1 seqs), K (f16):   45.00 MiB, V (f16): 45.0\n",
    "llama_memory_recurrent:        CPU RS buffer size =     0.82 MiB\n",
    "llama_memory_recurrent: size =    0.82 MiB (     1 cells,   8 layers,  1 seqs  0 rs_seq), R (f32):    0.06 MiB\n",
    "llama_context:        CPU  output buffer size =     0.19 MiB\n",
    "sched_reserve:        CPU compute buffer size =    10.50 MiB\n",
    "unrelated: size = 4.00 MiB, buffer size 3.00 MiB\n",
)


def mib(value: float) -> int:
    return round(value * MIB)


def test_each_line_is_a_buffer_of_its_part() -> None:
    figures = LogFigures.of(LINES)
    assert figures.buffers == (
        LoggedBuffer(LogPart.MODEL, "CPU_Mapped", mib(92.1)),
        LoggedBuffer(LogPart.MODEL, "RPC0[127.0.0.1:50052]", mib(8)),
        LoggedBuffer(LogPart.KV, "CPU", mib(90)),
        LoggedBuffer(LogPart.RECURRENT, "CPU", mib(0.82)),
        LoggedBuffer(LogPart.OUTPUT, "CPU", mib(0.19)),
        LoggedBuffer(LogPart.COMPUTE, "CPU", mib(10.5)),
    )
    assert (figures.kv_bytes, figures.recurrent_bytes) == ((mib(90),), (mib(0.82),))


def test_parts_are_summed_up() -> None:
    figures = LogFigures.of(LINES[:1]) + LogFigures.of(LINES[1:])
    assert figures == LogFigures.of(LINES)
    assert figures.total(LogPart.MODEL) == mib(92.1) + mib(8)
    assert LogFigures.of(()).total(LogPart.MODEL) == 0


def splits(*n_inputs: int) -> tuple[str, ...]:
    return tuple(f"\n## SPLIT #{index}: {'CPU' if index == 0 else f'RPC{index - 1}[127.0.0.1:1]'} # {count} inputs"
                 for index, count in enumerate(n_inputs))  # fmt: skip


def test_inputs_of_the_measured_graph_alone_are_told() -> None:
    earlier, measured, single, computed = splits(0, 9, 9), splits(0, 5, 7), splits(0, 4, 6), splits(0, 5, 6)
    figures = LogFigures.of((*earlier, *measured, *single, *computed, "llama_context: pipeline parallelism enabled\n"))
    assert figures.is_pipelined
    assert figures.extra_inputs == (("RPC1[127.0.0.1:1]", 1),)
    assert LogFigures.of((*earlier, *computed, *single, *computed)).extra_inputs == ()
    assert LogFigures.of(measured).extra_inputs == ()
    assert LogFigures.of(("## SPLIT #3: CPU # 2 inputs",)).extra_inputs == ()
