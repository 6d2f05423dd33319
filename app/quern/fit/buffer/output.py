"""Bytes of the output buffer, in which llama.cpp hands logits and embeddings back."""

from quern.fit.shape.model_shape import ModelShape
from quern.spec import LoadSettings

_F32_BYTES = 4
# The embeddings of what the encoder has read are handed to the decoder.
_HANDS_EMBEDDINGS = frozenset({"t5"})


def output_bytes(shape: ModelShape, settings: LoadSettings) -> int:
    """Return the bytes of the output buffer when a model is loaded: one output a sequence, in the machine's memory.

    From llama-context.cpp, output_reserve.
    """
    n_outputs = max(1, settings.n_seq_max)
    n_embeddings = shape.embeddings.n_embd_out if shape.architecture in _HANDS_EMBEDDINGS else 0
    return _F32_BYTES * n_outputs * (shape.n_vocab + n_embeddings)
