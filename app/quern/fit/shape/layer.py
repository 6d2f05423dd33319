"""What one layer of a model is made of."""

from dataclasses import dataclass

from .cache import Cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer, numbers in elements; what it has not is 0.

    Attention: `n_head` heads for queries, `n_head_kv` for keys and values, `key_length` and `value_length` wide each
    (`attention.*`). `slides` says that it sees only the sliding window, `is_recurrent` that it keeps a state of
    each sequence (falcon-h1 has both), `attends` that it has keys and values at all: its own in `caches`, or those of
    an earlier layer (gemma3n, gemma4). `is_nextn` layers predict further tokens and are not run for chat.

    Feed-forward: `n_ff` is the width of the dense part, `n_ff_expert` of one expert, `n_expert_used` how many of them a
    token uses, `has_experts` whether this layer has experts. Some layers have both (arctic, gemma4, shared experts).

    `states` are the F32 elements kept of each sequence, tensor by tensor: the convolution's last inputs, the state, an
    n-gram embedding; in deepseek4, which is not recurrent, what is not yet compressed.
    """

    n_head: int
    n_head_kv: int
    key_length: int
    value_length: int
    slides: bool
    is_recurrent: bool
    attends: bool
    is_nextn: bool
    n_ff: int
    n_ff_expert: int
    n_expert_used: int
    has_experts: bool
    caches: tuple[Cache, ...]
    states: tuple[int, ...]

    def state_bytes(self, n_sequences: int) -> int:
        """Return the bytes of `states` for so many sequences, each tensor padded to 32 bytes as in a CPU buffer."""
        return sum(-(-4 * n_sequences * n_elements // 32) * 32 for n_elements in self.states)
