"""What is true of a loaded model."""

from dataclasses import dataclass

from quern.fit import DeviceNeed
from quern.spec import LoadSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFacts:
    """Facts of one loaded model, fixed while it is loaded.

    `n_ctx_cells` is the number of KV cells that exist (a multiple of 256), `n_ctx_train` what the model was trained
    for; a prompt and its reply together hold at most `request_limit_tokens`, the smallest of the trained context, the
    cells of one sequence and the cells that were asked for. `device_names` are the devices really used. `settings` are
    the asked ones with every choice resolved to what was done. `control_texts` are the texts of CONTROL and UNKNOWN
    tokens. `bos_text` and `eos_text` are empty where the model has none; `adds_bos` says whether `Engine.tokenize`
    starts a prompt with BOS. `model_size_bytes` are the weights, `memory_bytes` all buffers together. `measured` is
    llama.cpp's own account of what it allocated, the host first: all parts of Needs but companions and `runtime`.
    Weights that are mapped from the file count from the first to the last one.
    """

    n_ctx_cells: int
    n_ctx_train: int
    request_limit_tokens: int
    n_vocab: int
    device_names: tuple[str, ...]
    settings: LoadSettings
    control_texts: frozenset[str]
    bos_text: str
    eos_text: str
    adds_bos: bool
    model_size_bytes: int
    memory_bytes: int
    measured: tuple[DeviceNeed, ...] = ()
