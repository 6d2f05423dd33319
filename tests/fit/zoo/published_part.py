"""What the tensors of many published models have in common: attention, feed-forward parts, the ends."""

from collections.abc import Mapping

from .metadata_file import Value

Shapes = dict[str, tuple[int, ...]]


class Numbers:
    """Reads one model's keys; a list gives one value a layer."""

    def __init__(self, keys: Mapping[str, Value]) -> None:
        self._keys = keys
        self.n_embd, self.n_vocab = self.get("embedding_length"), self.get("vocab_size")
        self.n_layer, self.n_ff, self.n_head = (
            self.get("block_count"),
            self.get("feed_forward_length"),
            self.get("attention.head_count"),
        )
        self.head = self.get("attention.key_length", self.n_embd // self.n_head if self.n_head else 0)

    def get(self, name: str, default: int = 0, il: int = 0) -> int:
        """Return a number."""
        value = self._keys.get(name, default)
        value = value[il] if isinstance(value, list) else value
        assert isinstance(value, int)
        return value


def ends(numbers: Numbers) -> Shapes:
    """Return the last norm and output weights."""
    return {"output_norm.weight": (numbers.n_embd,), "output.weight": (numbers.n_embd, numbers.n_vocab)}


def tied(numbers: Numbers) -> Shapes:
    """Return the last norm; the embedding table is the output too."""
    return {"output_norm.weight": (numbers.n_embd,)}


def attention(numbers: Numbers, il: int, *, normed: bool = False) -> Shapes:
    """Return one layer's attention, with norms of queries and keys where `normed`."""
    n_embd, head = numbers.n_embd, numbers.head
    width, width_kv = head * numbers.n_head, head * numbers.get("attention.head_count_kv", il=il)
    norms: Shapes = {"attn_q_norm.weight": (head,), "attn_k_norm.weight": (head,)} if normed else {}
    return {
        "attn_norm.weight": (n_embd,),
        "attn_q.weight": (n_embd, width),
        "attn_k.weight": (n_embd, width_kv),
        "attn_v.weight": (n_embd, width_kv),
        "attn_output.weight": (width, n_embd),
        **norms,
    }


def dense(numbers: Numbers) -> Shapes:
    """Return a gated feed-forward part."""
    n_embd, n_ff = numbers.n_embd, numbers.n_ff
    return {
        "ffn_norm.weight": (n_embd,),
        "ffn_gate.weight": (n_embd, n_ff),
        "ffn_up.weight": (n_embd, n_ff),
        "ffn_down.weight": (n_ff, n_embd),
    }


def moe(numbers: Numbers, n_ff_shared: int = 0) -> Shapes:
    """Return a mixture of experts, with shared ones `n_ff_shared` wide."""
    n_embd, n_expert = numbers.n_embd, numbers.get("expert_count")
    n_ff = numbers.get("expert_feed_forward_length", numbers.n_ff)
    shapes: Shapes = {
        "ffn_norm.weight": (n_embd,),
        "ffn_gate_inp.weight": (n_embd, n_expert),
        "ffn_gate_exps.weight": (n_embd, n_ff, n_expert),
        "ffn_up_exps.weight": (n_embd, n_ff, n_expert),
        "ffn_down_exps.weight": (n_ff, n_embd, n_expert),
    }
    if n_ff_shared:
        shapes |= {
            "ffn_gate_shexp.weight": (n_embd, n_ff_shared),
            "ffn_up_shexp.weight": (n_embd, n_ff_shared),
            "ffn_down_shexp.weight": (n_ff_shared, n_embd),
        }
    return shapes
