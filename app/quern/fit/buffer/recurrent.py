"""Bytes of recurrent state, layer by layer (llama.cpp: llama-memory-recurrent.cpp)."""

from quern.fit.shape.model_shape import ModelShape
from quern.spec import LoadSettings


def recurrent_bytes_by_layer(shape: ModelShape, settings: LoadSettings) -> tuple[int, ...]:
    """Return the bytes that each layer keeps of all sequences, one entry for each of `shape.layers`.

    A state does not grow with the context and is not shared: n_seq_max of them are there, always as F32.
    """
    n_seq_max = max(1, settings.n_seq_max)
    by_kind = [kind.state_bytes(n_seq_max) if kind.is_recurrent else 0 for kind in shape.kinds]
    return tuple([by_kind[index] for index in shape.kind_of])
