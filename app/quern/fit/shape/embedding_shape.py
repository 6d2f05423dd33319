"""The ends of a model: vocabulary, embeddings in and out, and the width of the stream between them."""

from dataclasses import dataclass

from quern.fit.errors import FitUnknown

from .shape_keys import ShapeKeys

_TABLE, _OUTPUT = "token_embd.weight", "output.weight"
_LANES = frozenset({"deepseek4", "qwen4exp"})  # the widened stream is what is handed back (their .cpp files)
_MOST_WIDTH = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingShape:
    """Widths at the ends, in elements.

    `n_vocab` is from the embedding table, else from the list of tokens, else `vocab_size`. `n_embd` is the stream's
    width (`embedding_length`), `n_embd_inp` that of an embedding put in (pictures bring more: `n_deepstack_layers`) and
    `n_embd_out` that of one handed out (`embedding_length_out`). `n_embd_per_layer` is the width of an embedding that
    each layer gets (`embedding_length_per_layer_input`), `n_streams` how many streams run side by side
    (`hyper_connection.count`), 0 for none. `has_output` says whether the file has output weights of its own; without
    them the embedding table is used. `has_tensors` is False for a header without tensors.
    """

    n_vocab: int
    n_embd: int
    n_embd_inp: int
    n_embd_out: int
    n_embd_per_layer: int
    n_streams: int
    has_output: bool
    has_tensors: bool


def read_embeddings(keys: ShapeKeys) -> EmbeddingShape:
    """Return the model's ends. Raises FitUnknown."""
    name = "features_length" if keys.architecture == "wavtokenizer-dec" else "embedding_length"
    n_embd = keys.positive(name, most=_MOST_WIDTH)
    n_embd_out = keys.count("embedding_length_out", 0, most=_MOST_WIDTH) or n_embd
    n_streams = keys.count("hyper_connection.count", 0, most=64)
    if keys.architecture == "wavtokenizer-dec":
        n_embd_out = keys.positive("embedding_length", most=_MOST_WIDTH)
    elif keys.architecture in _LANES:
        n_embd_out = n_streams * n_embd
    return EmbeddingShape(
        n_vocab=_n_vocab(keys),
        n_embd=n_embd,
        n_embd_inp=n_embd * (1 + keys.count("n_deepstack_layers", 0, most=512)),
        n_embd_out=n_embd_out,
        n_embd_per_layer=keys.count("embedding_length_per_layer_input", 0, most=_MOST_WIDTH),
        n_streams=n_streams,
        has_output=_OUTPUT in keys.tensors,
        has_tensors=bool(keys.tensors),
    )


def _n_vocab(keys: ShapeKeys) -> int:
    table = keys.tensors.get(_TABLE, ())
    if len(table) == 2:
        return table[1]
    n_vocab = keys.n_listed_tokens or keys.count("vocab_size", 0)
    if n_vocab == 0:
        raise FitUnknown("its header does not say how many words it knows")
    return n_vocab
