"""Twelve ways to load a model, for comparing formulas with llama.cpp. None leaves anything open."""

from dataclasses import replace

from quern.spec import FlashAttention, KvType, LoadSettings

_ON = LoadSettings(flash_attention=FlashAttention.ON, n_gpu_layers=0, n_threads=1)
_OFF = replace(_ON, flash_attention=FlashAttention.OFF)
_AUTO = replace(_ON, flash_attention=FlashAttention.AUTO)
_Q8_0, _Q5_1, _Q4_0, _BF16 = KvType.Q8_0, KvType.Q5_1, KvType.Q4_0, KvType.BF16

SETTINGS: tuple[LoadSettings, ...] = (
    replace(_OFF, n_ctx_cells=512),
    replace(_ON, n_ctx_cells=4096),
    replace(_OFF, n_ctx_cells=4096, n_ubatch_tokens=128, swa_full=False),
    replace(_ON, n_ctx_cells=8192, n_ubatch_tokens=128, n_seq_max=4),
    replace(_ON, n_ctx_cells=8192, n_seq_max=4, kv_unified=False, swa_full=False),
    replace(_OFF, n_ctx_cells=10_240, n_seq_max=3, kv_unified=False),
    replace(_ON, n_ctx_cells=16_384, type_k=_Q8_0, type_v=_Q8_0),
    replace(
        _ON, n_ctx_cells=16_384, n_batch_tokens=2048, n_ubatch_tokens=2048, type_k=_Q4_0, type_v=_Q4_0, swa_full=False
    ),
    replace(_ON, n_ctx_cells=32_768, type_k=_Q8_0, type_v=_Q5_1, n_seq_max=2, swa_full=False),
    replace(_OFF, n_ctx_cells=32_768, type_k=_Q4_0),
    replace(_AUTO, n_ctx_cells=65_536, type_k=_BF16, type_v=_BF16, n_seq_max=2),
    replace(_ON, n_ctx_cells=131_072, swa_full=False),
)
