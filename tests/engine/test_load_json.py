"""Settings survive the way to a worker."""

import json

import pytest

from quern.engine import settings_from_json, settings_to_json
from quern.spec import ExtraBuffers, FlashAttention, KvType, LoadSettings

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
)


@pytest.mark.parametrize("settings", [LoadSettings(), UNUSUAL])
def test_there_and_back(settings: LoadSettings) -> None:
    assert settings_from_json(json.loads(json.dumps(settings_to_json(settings)))) == settings


def test_what_is_no_count_is_refused() -> None:
    with pytest.raises(ValueError, match="no count"):
        settings_from_json({**settings_to_json(LoadSettings()), "n_batch_tokens": "many"})
