"""How much memory a model and its context take, by device: from llama.cpp's breakdown, else from its log lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .backend import Backend
from .breakdown import HOST, BreakdownUnreadable, BufferUse, read_breakdown
from .context import Context
from .log_figures import ROUNDING_BYTES, LogFigures, LoggedBuffer, LogPart
from .model import Model

PIPELINE_COPIES = 4  # ggml-backend.cpp, GGML_SCHED_MAX_COPIES
ALIGNMENT = 128
PLAIN_BUFFERS = frozenset({"CPU", "CPU_Mapped"})
_FIELDS = {LogPart.MODEL: "weights", LogPart.KV: "kv", LogPart.RECURRENT: "recurrent", LogPart.COMPUTE: "compute"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceUse:
    """Bytes on one device: "CPU" for the machine's memory, else the engine's name of it.

    `plain_weights` are those of the weights that lie as they do in the file, which a load may map.
    """

    device: str
    weights: int = 0
    plain_weights: int = 0
    kv: int = 0
    recurrent: int = 0
    compute: int = 0

    def __add__(self, other: "DeviceUse") -> "DeviceUse":
        return DeviceUse(
            device=self.device,
            weights=self.weights + other.weights,
            plain_weights=self.plain_weights + other.plain_weights,
            kv=self.kv + other.kv,
            recurrent=self.recurrent + other.recurrent,
            compute=self.compute + other.compute,
        )


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """The devices that hold something, the host first, and the output buffer, which is the host's.

    `is_exact` says that the figures are llama.cpp's breakdown; else they are log lines, right to 0.01 MiB a buffer, and
    those of a dry run know weights and KV cache only by their sum for the host.
    """

    devices: tuple[DeviceUse, ...]
    output: int
    is_exact: bool


def read_memory_use(model: Model, context: Context) -> MemoryUse:
    """Return what the two take together."""
    figures = model.log_figures + context.log_figures
    output = _output_bytes(model, context, figures)
    try:
        uses = read_breakdown(context.handle)
    except BreakdownUnreadable:
        uses = ()
    if uses and agrees(uses, figures):
        if model.is_measured:
            uses = as_allocated(uses, figures, _input_bytes(model, context))
        return MemoryUse(by_device(uses), output, is_exact=True)
    return MemoryUse(from_log(figures, _gpu_names()), output, is_exact=False)


def agrees(uses: Sequence[BufferUse], figures: LogFigures) -> bool:
    """Whether a breakdown says what the log says, as far as the log goes: a dry run logs its weights as 0.

    The caches are no equation: the compressor state of DeepSeek V4 is in the breakdown and in no line of theirs.
    """
    weights = sum(use.weights for use in uses)
    caches = sum(use.kv + use.recurrent for use in uses)
    logged_caches = (*figures.kv_bytes, *figures.recurrent_bytes)
    return (
        (figures.total(LogPart.MODEL) == 0 or _is_sum_of(weights, figures.of_part(LogPart.MODEL)))
        and _is_sum_of(sum(use.recurrent for use in uses), figures.of_part(LogPart.RECURRENT))
        and caches >= sum(logged_caches) - ROUNDING_BYTES * len(logged_caches)
        and _agrees_on_compute(uses, figures.of_part(LogPart.COMPUTE))
    )


def _agrees_on_compute(uses: Sequence[BufferUse], logged: Sequence[LoggedBuffer]) -> bool:
    sums = {
        name: sum(use.compute for use in uses if use.buffer_type == name) for name in {each.name for each in logged}
    }
    return all(_is_sum_of(said, [each for each in logged if each.name == name]) for name, said in sums.items())


def _is_sum_of(said: int, logged: Sequence[LoggedBuffer]) -> bool:
    return abs(said - sum(buffer.bytes for buffer in logged)) <= ROUNDING_BYTES * max(1, len(logged))


def as_allocated(uses: Sequence[BufferUse], figures: LogFigures, input_bytes: int) -> tuple[BufferUse, ...]:
    """Return the `uses` of a dry run with compute buffers as a load allocates them, of which a dry run counts too much.

    Backends that share a buffer type (BLAS and the CPU) share the buffer; a dry run adds it up for each of them
    (ggml-alloc.c, ggml_gallocr_reserve_n_size), with one log line each.

    Where layers follow those of another GPU, a dry run forgets which GPU was to compute their first norm
    (ggml-backend.cpp, ggml_backend_sched_reserve_size resets the scheduler), and has its result handed over besides its
    input. In a pipeline there are 4 copies of both, of `input_bytes` each, which lie beside everything else.
    """
    names = [buffer.name for buffer in figures.of_part(LogPart.COMPUTE)]
    extra = dict(figures.extra_inputs) if figures.is_pipelined else {}
    return tuple(
        replace(
            use,
            compute=use.compute // max(1, names.count(use.buffer_type))
            - extra.get(use.buffer_type, 0) * PIPELINE_COPIES * input_bytes,
        )
        for use in uses
    )


def by_device(uses: Iterable[BufferUse]) -> tuple[DeviceUse, ...]:
    """Return the sums of each device, the host first and always there."""
    sums = {HOST: DeviceUse(device=HOST)}
    for use in uses:
        more = DeviceUse(
            device=use.device,
            weights=use.weights,
            plain_weights=use.weights if use.is_plain else 0,
            kv=use.kv,
            recurrent=use.recurrent,
            compute=use.compute,
        )
        sums[use.device] = sums.get(use.device, DeviceUse(device=use.device)) + more
    return tuple(sums.values())


def from_log(figures: LogFigures, gpu_names: Sequence[str]) -> tuple[DeviceUse, ...]:
    """Return what the log lines say. Where those of the KV cache say nothing (a dry run), its sum is the host's."""
    uses: list[BufferUse] = []
    for buffer in figures.buffers:
        device = device_of(buffer.name, gpu_names)
        use = BufferUse(buffer_type=buffer.name, device=device, is_plain=buffer.name in PLAIN_BUFFERS)
        uses.append(replace(use, **{_FIELDS[buffer.part]: buffer.bytes}) if buffer.part in _FIELDS else use)
    if not figures.total(LogPart.KV):
        uses.append(BufferUse(buffer_type=HOST, device=HOST, is_plain=True, kv=sum(figures.kv_bytes)))
    return by_device(uses)


def device_of(buffer_name: str, gpu_names: Sequence[str]) -> str:
    """Return the device that a buffer of this name is on: "CUDA0" for "CUDA0" and "CUDA0_Split", else the host."""
    for name in gpu_names:
        if buffer_name.startswith(name) and not buffer_name[len(name) :][:1].isdigit():
            return name
    return HOST


def _input_bytes(model: Model, context: Context) -> int:
    """Bytes of one activation of a whole ubatch, aligned as on a GPU."""
    n_tokens = min(context.n_ctx_cells, context.n_ubatch_tokens)
    n_tokens += -n_tokens % context.n_seq_max
    n_bytes = 4 * n_tokens * model.shape.n_embd
    return n_bytes + -n_bytes % ALIGNMENT


def _output_bytes(model: Model, context: Context, figures: LogFigures) -> int:
    """Bytes of the output buffer: a row of logits for each sequence (llama-context.cpp, output_reserve).

    The log line decides where it says otherwise (T5 adds embeddings).
    """
    logits = 4 * model.vocab.n_tokens * context.n_seq_max
    logged = figures.total(LogPart.OUTPUT)
    return logits if not logged or abs(logits - logged) <= ROUNDING_BYTES else logged


def _gpu_names() -> tuple[str, ...]:
    return tuple(device.name for device in Backend.start().devices())
