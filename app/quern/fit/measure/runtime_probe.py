"""Measures what a load takes besides buffers: dry runs of models that are nothing but a vocabulary."""

from pathlib import Path
from tempfile import TemporaryDirectory

from quern.base import CancelToken
from quern.fit.errors import FitUnknown
from quern.spec import ExtraBuffers, FlashAttention, LoadSettings

from .dry_run import ask_dry_run
from .probe_header import NO_VOCABULARY, PLAIN, WITH_MERGES, probe_header
from .runtime_costs import RuntimeCosts

N_TOKENS = 50_000
# What a process grows by once it computes: threads and the second of two graphs, beyond what a dry run makes.
RUNNING_BYTES = round(2.5 * 1024 * 1024)
_SETTINGS = LoadSettings(
    n_ctx_cells=512,
    n_threads=1,
    n_gpu_layers=0,
    flash_attention=FlashAttention.ON,
    extra_buffers=ExtraBuffers.AVOIDED,
)


def measure_costs(cancel: CancelToken | None = None) -> RuntimeCosts:
    """Return the costs of the installed engine: about a second in three child processes; once a build, in a job.

    Raises FitUnknown where they cannot be measured here, and Cancelled.
    """
    with TemporaryDirectory(prefix="quern-fit-", ignore_cleanup_errors=True) as folder:
        base, plain, merged = (
            _grown_bytes(Path(folder) / "probe.gguf", tokenizer, cancel)
            for tokenizer in (NO_VOCABULARY, PLAIN, WITH_MERGES)
        )
    return RuntimeCosts(
        base_bytes=base + RUNNING_BYTES,
        merged_entry_bytes=max(1, (merged - base) // N_TOKENS),
        plain_entry_bytes=max(1, (plain - base) // N_TOKENS),
    )


def _grown_bytes(path: Path, tokenizer: str, cancel: CancelToken | None) -> int:
    """Return by how much a process grows for this vocabulary, without the output buffer that is its size."""
    try:
        path.write_bytes(probe_header(tokenizer, N_TOKENS))
    except OSError as error:
        raise FitUnknown(f"nothing can be written here for a moment ({error.strerror or error})") from error
    found = ask_dry_run(path, _SETTINGS, has_gpus=True, cancel=cancel)
    if found.resident is None or found.resident <= found.output:
        raise FitUnknown("this system does not say how much memory a process takes")
    return found.resident - found.output
