"""What is known by its size alone of graphs that are built here of their nearest relatives' layers.

Of each, the widest results that its own steps hold at the peak are counted, bytes a token: those of the indexer, which
go with the cells that it judges, and those of the streams beside the first. The last are numbers measured on random
shapes (tests/bench/fit_compute.py says how far off they are).
"""

from quern.fit.shape.model_shape import ModelShape

from .batch import Batch


def untold_bytes(shape: ModelShape, batch: Batch) -> int:
    """Return the bytes that the graph of `shape` lacks, 0 for nearly all."""
    match shape.architecture:
        case "qwen4exp":
            return batch.n_tokens * (_block_scores(shape, batch) + 16 * shape.n_embd)
        case "glm5-next":
            return batch.n_tokens * (_pooled_scores(batch) + 24 * shape.n_embd)
        case "deepseek4":
            return batch.n_tokens * (_compressed_scores(batch) + 8 * shape.n_embd)
        case "hy_v4":
            return batch.n_tokens * 13 * shape.n_embd
        case _:
            return 0


def _block_scores(shape: ModelShape, batch: Batch) -> int:
    """Scores of all heads for blocks of cells, twice, and their mask (qwen4exp.cpp)."""
    if shape.indexer is None or not any(layer.attends for layer in shape.layers):
        return 0
    n_head = shape.indexer.head_count
    return (8 * n_head + 4) * batch.n_kv // max(1, shape.details.indexer_block)


def _pooled_scores(batch: Batch) -> int:
    """Scores for pooled cells; sequences that share them have more (glm5-next.cpp)."""
    shares = batch.n_seqs > batch.n_stream
    return (9 if shares else 5 if batch.has_flash else 6) * batch.n_kv


def _compressed_scores(batch: Batch) -> int:
    """Masks over one cell of four, of the indexer and of attention, and the scores (deepseek4.cpp)."""
    return 5 * batch.n_kv // 2 + 11_000 if batch.has_flash else 6 * batch.n_kv + 32_000
