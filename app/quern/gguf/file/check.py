"""Proves that a file is as long as its header says, and that its end was really written."""

from quern.gguf.errors import GgufDamaged, GgufTruncated
from quern.gguf.reading.header import Header, TensorInfo

from .source import ByteSource

# How the end of a file is sampled: few reads, so that a slow disk does not notice.
LAST_MATRICES = 4
SAMPLES_PER_MATRIX = 8
SAMPLE_BYTES = 64
SMALLEST_MATRIX_BYTES = 16 * 1024


def check_complete(header: Header, source: ByteSource) -> None:
    """Raise GgufTruncated when `source` ends before the last tensor of `header` does."""
    if source.size_bytes < header.needed_bytes:
        raise GgufTruncated(source.path, header.needed_bytes, source.size_bytes)


def check_written(header: Header, source: ByteSource) -> None:
    """Raise GgufDamaged when the last weight matrices of `source` hold nothing but zeros.

    A download that reserves its space first and then stops leaves such a file: as long as it should be, with a good
    header, and the engine reads it as noise. `source` is complete. Trained weights are zeros nowhere for so long.
    """
    matrices = [tensor for tensor in header.tensors if _is_matrix(tensor)]
    last = sorted(matrices, key=lambda tensor: tensor.offset)[-LAST_MATRICES:]
    if len(last) == LAST_MATRICES and all(_is_hollow(header, tensor, source) for tensor in last):
        start = header.data_offset + last[0].offset
        reason = f"its data from byte {start:,} on is all zeros, as in a download that did not finish"
        raise GgufDamaged(source.path, reason)


def _is_matrix(tensor: TensorInfo) -> bool:
    return len(tensor.dimensions) > 1 and tensor.nbytes >= SMALLEST_MATRIX_BYTES


def _is_hollow(header: Header, tensor: TensorInfo, source: ByteSource) -> bool:
    stride = tensor.nbytes // SAMPLES_PER_MATRIX
    places = (header.data_offset + tensor.offset + stride * index + stride // 2 for index in range(SAMPLES_PER_MATRIX))
    return not any(any(source.read_at(place, SAMPLE_BYTES)) for place in places)
