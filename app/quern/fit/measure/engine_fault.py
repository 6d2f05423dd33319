"""Settings on which llama.cpp 0.3.36 does not refuse but ends the whole process, found by trying them."""

from quern.fit.buffer.settings_refused import SettingsRefused
from quern.spec import LoadSettings

# Their graph is measured for one sequence (llama-context.cpp, sched_reserve), which must then divide the ubatch.
_ONE_SEQUENCE = frozenset({"kimi-linear", "minimax-01"})


def check_engine_faults(
    architecture: str, settings: LoadSettings, *, n_ubatch_tokens: int, has_flash_attention: bool
) -> None:
    """Raise SettingsRefused where making the context would end the process."""
    has_streams = settings.n_seq_max > 1 and not settings.kv_unified
    if architecture == "plm" and has_flash_attention:
        raise SettingsRefused("this engine stops with flash attention on models of its kind (plm)")
    if architecture == "t5" and has_streams:
        raise SettingsRefused("this engine stops with cells of their own for each sequence on models of its kind (t5)")
    if architecture in _ONE_SEQUENCE and has_streams and n_ubatch_tokens % settings.n_seq_max:
        raise SettingsRefused(
            f"{settings.n_seq_max} sequences with cells of their own do not divide {n_ubatch_tokens} tokens at once"
        )
