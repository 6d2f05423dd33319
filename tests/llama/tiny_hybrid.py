"""Headers without tensors of models that llama.cpp measures all the same: with a recurrent state, purely or in part."""

from pathlib import Path

from tests.gguf.forge import forge

N_VOCAB = 1000
_SSM = {"conv_kernel": 4, "inner_size": 512, "state_size": 64, "time_step_rank": 8, "group_count": 4}


def forge_hybrid(path: Path) -> Path:
    """Write a qwen3next of 8 layers: 6 with a state of (4 - 1) * (512 + 2 * 4 * 64) + 64 * 512 elements, 2 with KV."""
    return _forge(
        path,
        "qwen3next",
        {
            "feed_forward_length": 512,
            "attention.head_count": 4,
            "attention.head_count_kv": 2,
            "attention.key_length": 64,
            "attention.value_length": 64,
            "attention.layer_norm_rms_epsilon": 1e-6,
            "expert_count": 8,
            "expert_used_count": 2,
            "expert_feed_forward_length": 128,
            "expert_shared_feed_forward_length": 128,
            "rope.dimension_count": 32,
        },
    )


def forge_mamba(path: Path) -> Path:
    """Write a mamba2 of 8 layers, all of them with a state as above."""
    return _forge(path, "mamba2", {"attention.layer_norm_rms_epsilon": 1e-6})


STATE_BYTES = 4 * ((4 - 1) * (512 + 2 * 4 * 64) + 64 * 512)


def _forge(path: Path, architecture: str, keys: dict[str, object]) -> Path:
    sizes = {"context_length": 4096, "embedding_length": 256, "block_count": 8, "vocab_size": N_VOCAB}
    states = {f"ssm.{name}": value for name, value in _SSM.items()}
    own = {f"{architecture}.{name}": value for name, value in (sizes | states | keys).items()}
    path.write_bytes(forge({"general.architecture": architecture, "tokenizer.ggml.model": "no_vocab"} | own))
    return path
