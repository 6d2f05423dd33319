"""Settings survive the way to a worker."""

import json

import pytest

from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings, settings_from_json, settings_to_json

UNUSUAL = LoadSettings(
    n_ctx_cells=512,
    n_threads=3,
    n_batch_tokens=7,
    n_ubatch_tokens=5,
    n_gpu_layers=0,
    flash_attention=FlashAttention.ON,
    type_k=KvType.Q8_0,
    type_v=KvType.Q4_0,
    extra_buffers=ExtraBuffers.AVOIDED,
    mmap=False,
    mlock=True,
    n_seq_max=3,
    kv_unified=False,
    swa_full=False,
    n_cpu_moe_layers=4,
    tensor_split=(0.25, 0.75),
)


@pytest.mark.parametrize("settings", [LoadSettings(), UNUSUAL])
def test_there_and_back(settings: LoadSettings) -> None:
    assert settings_from_json(json.loads(json.dumps(settings_to_json(settings)))) == settings


def test_what_is_no_count_is_refused() -> None:
    with pytest.raises(ValueError, match="no count"):
        settings_from_json({**settings_to_json(LoadSettings()), "n_batch_tokens": "many"})


@pytest.mark.parametrize("split", ["half", [1, "half"], [float("nan")], [-1.0]])
def test_a_tensor_split_of_anything_but_shares_is_refused(split: object) -> None:
    with pytest.raises(ValueError, match="no list of shares"):
        settings_from_json({**settings_to_json(LoadSettings()), "tensor_split": split})  # pyright: ignore[reportArgumentType]
