"""Whether a model fits, in words: the same in the terminal and in the window."""

from enum import StrEnum

from quern.base import format_bytes, format_count
from quern.fit import HOST, Advice, AdviceKind, DeviceFit, FitReport, Source, Verdict


class Part(StrEnum):
    """What a device's memory holds, in the order of a bar. The first nine are the fields of `Needs`."""

    WEIGHTS = "weights"
    KV = "kv"
    RECURRENT = "recurrent"
    COMPUTE = "compute"
    OUTPUT = "output"
    PROJECTOR = "projector"
    DRAFT = "draft"
    ADAPTERS = "adapters"
    RUNTIME = "runtime"
    OWN = "own"
    OTHER = "other"
    FREE = "free"


_PARTS_OF_NEEDS = tuple(Part)[:9]
_NAMES = {
    Part.WEIGHTS: "Weights",
    Part.KV: "KV cache",
    Part.RECURRENT: "Recurrent state",
    Part.COMPUTE: "Compute buffer",
    Part.OUTPUT: "Output buffer",
    Part.PROJECTOR: "Projector",
    Part.DRAFT: "Draft model",
    Part.ADAPTERS: "Adapters",
    Part.RUNTIME: "Engine",
    Part.OWN: "Quern's other models",
    Part.OTHER: "Other programs",
    Part.FREE: "Free",
}
_SENTENCES = {
    Part.WEIGHTS: "The model's own numbers take {size}.",
    Part.KV: "The KV cache, which remembers the conversation, takes {size}; it grows with the context.",
    Part.RECURRENT: "The state of recurrent layers takes {size}, for each sequence anew, whatever the context.",
    Part.COMPUTE: "The scratch space of one step takes {size}; it grows with the ubatch.",
    Part.OUTPUT: "The scores of the next token, handed back after every step, take {size}.",
    Part.PROJECTOR: "The projector, which turns images and sound into tokens, takes {size}.",
    Part.DRAFT: "The draft model, which guesses tokens ahead, takes {size} in all.",
    Part.ADAPTERS: "The adapters take {size}.",
    Part.RUNTIME: "The engine itself (vocabulary, work buffers, a GPU's context) takes {size}.",
    Part.OWN: "Models that Quern keeps loaded take {size}.",
    Part.OTHER: "Other programs and the system take {size}.",
    Part.FREE: "{size} stay free.",
}
_STEPS = {
    AdviceKind.FEWER_SEQUENCES: "Parallel requests {detail}",
    AdviceKind.SLIDING_WINDOW: "Short cache for layers with a sliding window",
    AdviceKind.SMALLER_UBATCH: "Smaller prompt steps (ubatch {detail})",
    AdviceKind.FLASH_ATTENTION: "Flash attention {detail}",
    AdviceKind.EXPERTS_TO_CPU: "Experts of {detail} on the CPU",
    AdviceKind.MORE_GPU_LAYERS: "{detail} on the GPU",
    AdviceKind.FEWER_GPU_LAYERS: "{detail} on the GPU",
    AdviceKind.SMALLER_CONTEXT: "Context {detail}",
    AdviceKind.KV_TYPE: "KV cache {detail}",
    AdviceKind.UNLOAD_OTHERS: "Unload Quern's other models",
    AdviceKind.SMALLER_QUANTIZATION: "A file of a smaller quantization ({detail})",
}
_SEPARATOR = " + "  # between the steps that a detail names (quern.fit, advice)
_SOURCES = {
    Source.INSTANT: "estimated from the file's header",
    Source.EXACT: "measured by the engine without loading",
}


def verdict_sentence(report: FitReport) -> str:
    """Return the verdict and the largest context, such as "Fits. Largest context that fits: 41,216 tokens."."""
    match report.verdict:
        case Verdict.FITS:
            return f"Fits.{_largest(report)}"
        case Verdict.TIGHT:
            return f"Tight: it fits, but leaves other programs too little memory.{_largest(report)}"
        case Verdict.PARTIAL:
            return f"Does not fit like this, but does with less of it on the GPU.{_largest(report)}"
        case Verdict.TOO_LARGE:
            return f"Too large{_shortfall(report)}.{_largest(report)}"


def advice_sentence(advice: Advice) -> str:
    """Return one step (or several, where only they together help) with what it gains.

    Such as "KV cache q8_0: -1.9 GiB, then it fits".
    """
    first, *further = advice.detail.split(_SEPARATOR)
    steps = " + ".join([_STEPS[advice.kind].format(detail=first).strip(), *map(_further_step, further)])
    if not advice.gain:
        return f"{steps}: then it fits" if advice.fits else steps
    where = "" if advice.device == HOST else f" on {advice.device}"
    return f"{steps}: {_signed(-advice.gain)}{where}{', then it fits' if advice.fits else ''}"


def part_name(part: str) -> str:
    """Return what a part of a device's memory is called. Raises ValueError for a name that is no Part."""
    return _NAMES[Part(part)]


def part_sentence(part: str, n_bytes: int) -> str:
    """Return what a part is, in one sentence with its number. Raises ValueError for a name that is no Part."""
    return _SENTENCES[Part(part)].format(size=format_bytes(n_bytes))


def source_words(source: Source) -> str:
    """Return how an answer was found, as a clause."""
    return _SOURCES[source]


def parts_of(device: DeviceFit) -> tuple[tuple[Part, int], ...]:
    """Return what the device would hold after the load, in bytes, in a bar's order and without parts that are 0."""
    room = device.room
    needs = [(part, int(getattr(device.needs, part.value))) for part in _PARTS_OF_NEEDS]
    rest = [
        (Part.OWN, max(0, room.own - room.reclaimable)),
        (Part.OTHER, room.other),
        (Part.FREE, max(0, device.left)),
    ]
    return tuple((part, n_bytes) for part, n_bytes in (*needs, *rest) if n_bytes > 0)


def _further_step(words: str) -> str:
    """Return a step that a detail names ("kv type q8_0") in the words that it has when it stands alone."""
    for kind, template in _STEPS.items():
        name = kind.value.replace("_", " ")
        if words.startswith(name):
            step = template.format(detail=words.removeprefix(name).strip())
            return step if step[1:2].isupper() else step[:1].lower() + step[1:]
    return words


def _largest(report: FitReport) -> str:
    largest = report.largest_ctx_cells
    if largest is None:
        return ""
    if report.verdict is Verdict.FITS and largest < report.n_ctx_cells:
        if report.settings.n_seq_max > 1:
            return _shared_context(report)
        return f" It is more context than the {format_count(report.n_ctx_train)} tokens that the model was trained for."
    is_all = 0 < report.n_ctx_train <= largest
    all_of_it = ", all that the model was trained for" if is_all else ""
    return f" Largest context that fits: {format_count(largest)} tokens{all_of_it}."


def _shared_context(report: FitReport) -> str:
    """Tell of a context that is longer than one request can use: `largest_ctx_cells` is not about all of them."""
    settings, trained = report.settings, report.n_ctx_train
    own = report.n_ctx_cells if settings.kv_unified else report.n_ctx_cells // settings.n_seq_max
    all_of_it = ", all that the model was trained for" if own >= trained else ""
    shared = f" {settings.n_seq_max} requests share {format_count(report.n_ctx_cells)} tokens of context"
    return f"{shared}; each may use {format_count(min(own, trained))}{all_of_it}."


def _shortfall(report: FitReport) -> str:
    worst = min(report.devices, key=lambda device: device.spare, default=None)
    if worst is None or worst.left >= 0:
        return ""
    where = "memory" if worst.room.device == HOST else f"memory of {worst.room.label}"
    return f": {format_bytes(-worst.left)} more {where} would be needed"


def _signed(n_bytes: int) -> str:
    return f"{'-' if n_bytes < 0 else '+'}{format_bytes(abs(n_bytes))}"
