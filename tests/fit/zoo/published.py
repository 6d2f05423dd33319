"""Well-known models as they were published: the numbers of their config files, as llama.cpp's converter writes them."""

from dataclasses import dataclass
from pathlib import Path

from .entry import prefixed
from .metadata_file import Value, write_metadata_file
from .published_tensor import tensors_of


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """One published model's metadata, without its vocabulary, and the shapes of its tensors."""

    name: str
    architecture: str
    keys: dict[str, Value]

    def write(self, path: Path) -> Path:
        """Write its metadata alone; return `path`.

        Layers for further tokens are left out: llama.cpp ends the process on them in a file without tensors.
        """
        keys = dict(self.keys)
        n_layer, n_extra = keys["block_count"], keys.pop("nextn_predict_layers", 0)
        assert isinstance(n_layer, int)
        assert isinstance(n_extra, int)
        return write_metadata_file(path, prefixed(self.architecture, keys | {"block_count": n_layer - n_extra}))

    def write_with_tensors(self, path: Path) -> Path:
        """Write it with all its tensors, quantized about as Q4_K_M, their data a hole in the file; return `path`."""
        tensors = tensors_of(self.architecture, self.keys)
        return write_metadata_file(path, prefixed(self.architecture, self.keys), tensors)


def _llama_like(
    n_vocab: int, n_ctx_train: int, n_embd: int, n_layer: int, n_ff: int, n_head: int, n_head_kv: int
) -> dict[str, Value]:
    return {
        "vocab_size": n_vocab,
        "context_length": n_ctx_train,
        "embedding_length": n_embd,
        "block_count": n_layer,
        "feed_forward_length": n_ff,
        "attention.head_count": n_head,
        "attention.head_count_kv": n_head_kv,
        "attention.layer_norm_rms_epsilon": 1e-6,
        "attention.layer_norm_epsilon": 1e-5,
    }


def _head(width: int, rotated: int | None = None) -> dict[str, Value]:
    n_rotated = width if rotated is None else rotated
    return {"attention.key_length": width, "attention.value_length": width, "rope.dimension_count": n_rotated}


def _experts(n_expert: int, n_used: int, n_ff: int, **more: int) -> dict[str, Value]:
    return {"expert_count": n_expert, "expert_used_count": n_used, "expert_feed_forward_length": n_ff, **more}


def _latent(q_rank: int | None) -> dict[str, Value]:
    keys: dict[str, Value] = {
        "attention.kv_lora_rank": 512,
        "attention.key_length": 576,
        "attention.value_length": 512,
        "attention.key_length_mla": 192,
        "attention.value_length_mla": 128,
        "rope.dimension_count": 64,
    }
    return keys if q_rank is None else keys | {"attention.q_lora_rank": q_rank}


def _ssm(inner: int, state: int, rank: int, group: int) -> dict[str, Value]:
    return {
        "ssm.conv_kernel": 4,
        "ssm.inner_size": inner,
        "ssm.state_size": state,
        "ssm.time_step_rank": rank,
        "ssm.group_count": group,
    }


def _at(places: tuple[int, ...], n_layer: int, value: int) -> list[int]:
    return [value if il in places else 0 for il in range(n_layer)]


_MODELS: dict[str, tuple[str, dict[str, Value]]] = {
    "Llama 3.1 8B": ("llama", _llama_like(128256, 131072, 4096, 32, 14336, 32, 8) | {"rope.dimension_count": 128}),
    "Llama 3.1 70B": ("llama", _llama_like(128256, 131072, 8192, 80, 28672, 64, 8) | {"rope.dimension_count": 128}),
    "Qwen3 8B": ("qwen3", _llama_like(151936, 40960, 4096, 36, 12288, 32, 8) | _head(128)),
    "Qwen3 30B A3B": (
        "qwen3moe",
        _llama_like(151936, 262144, 2048, 48, 6144, 32, 4) | _head(128) | _experts(128, 8, 768),
    ),
    "Qwen3 Next 80B A3B": (
        "qwen3next",
        _llama_like(151936, 262144, 2048, 48, 5120, 16, 2)
        | _head(256, 64)
        | _experts(512, 10, 512, expert_shared_feed_forward_length=512)
        | _ssm(4096, 128, 32, 16),
    ),
    "Mixtral 8x7B": (
        "llama",
        _llama_like(32000, 32768, 4096, 32, 14336, 32, 8)
        | {"expert_count": 8, "expert_used_count": 2, "rope.dimension_count": 128},
    ),
    "gpt-oss 20B": (
        "gpt-oss",
        _llama_like(201088, 131072, 2880, 24, 2880, 64, 8)
        | _head(64)
        | _experts(32, 4, 2880)
        | {"attention.sliding_window": 128},
    ),
    "Gemma 3 27B": (
        "gemma3",
        _llama_like(262208, 131072, 5376, 62, 21504, 32, 16) | _head(128) | {"attention.sliding_window": 1024},
    ),
    "Gemma 3 1B": (
        "gemma3",
        _llama_like(262144, 32768, 1152, 26, 6912, 4, 1) | _head(256) | {"attention.sliding_window": 512},
    ),
    "Gemma 3n E4B": (
        "gemma3n",
        _llama_like(262144, 32768, 2048, 35, 16384, 8, 2)
        | _head(256)
        | {
            "attention.sliding_window": 512,
            "attention.sliding_window_pattern": [il % 5 < 4 for il in range(35)],
            "embedding_length_per_layer_input": 256,
        },
    ),
    "DeepSeek V2 Lite": (
        "deepseek2",
        _llama_like(102400, 163840, 2048, 27, 10944, 16, 1)
        | _latent(None)
        | _experts(64, 6, 1408, expert_shared_count=2, leading_dense_block_count=1),
    ),
    "DeepSeek V3": (
        "deepseek2",
        _llama_like(129280, 163840, 7168, 61, 18432, 128, 1)
        | _latent(1536)
        | _experts(256, 8, 2048, expert_shared_count=1, leading_dense_block_count=3, expert_gating_func=2),
    ),
    "GLM 4.5 Air": (
        "glm4moe",
        _llama_like(151552, 131072, 4096, 47, 10944, 96, 8)
        | _head(128, 64)
        | _experts(128, 8, 1408, expert_shared_count=1, leading_dense_block_count=1, expert_gating_func=2)
        | {"nextn_predict_layers": 1},
    ),
    "Phi 4": ("phi3", _llama_like(100352, 16384, 5120, 40, 17920, 40, 10) | {"rope.dimension_count": 128}),
    "Falcon H1 7B": (
        "falcon-h1",
        _llama_like(130048, 262144, 3072, 44, 12288, 12, 2) | _head(128) | _ssm(3072, 256, 24, 1),
    ),
    "Granite 4.0 H Tiny": (
        "granitehybrid",
        _llama_like(100352, 131072, 1536, 40, 512, 12, 4)
        | {"expert_count": 64, "expert_used_count": 6, "expert_shared_feed_forward_length": 1024}
        | _ssm(3072, 128, 48, 1)
        | {"attention.head_count_kv": _at((5, 15, 25, 35), 40, 4), "rope.dimension_count": 128},
    ),
    "LFM2 1.2B": (
        "lfm2",
        _llama_like(65536, 128000, 2048, 16, 8192, 32, 8)
        | {
            "attention.head_count_kv": _at((2, 5, 8, 10, 12, 14), 16, 8),
            "shortconv.l_cache": 3,
            "rope.dimension_count": 64,
        },
    ),
    "RWKV 7 World 2.9B": (
        "rwkv7",
        _llama_like(65536, 1048576, 2560, 32, 10240, 0, 0)
        | {
            "wkv.head_size": 64,
            "attention.decay_lora_rank": 96,
            "attention.iclr_lora_rank": 96,
            "attention.value_residual_mix_lora_rank": 64,
            "attention.gate_lora_rank": 320,
        },
    ),
    "Mamba 2 2.7B": ("mamba2", _llama_like(50288, 1048576, 2560, 64, 0, 0, 0) | _ssm(5120, 128, 80, 1)),
}

PUBLISHED: tuple[PublishedModel, ...] = tuple(
    PublishedModel(name, architecture, keys) for name, (architecture, keys) in _MODELS.items()
)
