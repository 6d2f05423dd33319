"""The tables of types agree with each other and with the `gguf` package."""

from quern.gguf import file_type_name
from quern.gguf.reading.ggml_type import GGML_TYPES, REMOVED_TYPES


def test_the_table_agrees_with_the_gguf_package() -> None:
    from gguf import GGML_QUANT_SIZES

    for number, sizes in GGML_QUANT_SIZES.items():
        if number.name == "Q8_1":  # 36 bytes since its sums became half floats (ggml-common.h); never in a file
            continue
        known = GGML_TYPES[int(number)]
        assert (known.name, known.block_elements, known.block_bytes) == (number.name, *sizes)


def test_file_types_agree_with_the_gguf_package() -> None:
    from gguf import LlamaFileType

    for number in LlamaFileType:
        if number is not LlamaFileType.GUESSED:
            assert file_type_name(int(number)) == number.name.removeprefix("MOSTLY_").removeprefix("ALL_")


def test_removed_types_are_not_in_use() -> None:
    assert not REMOVED_TYPES.keys() & GGML_TYPES.keys()


def test_a_row_takes_whole_blocks() -> None:
    assert GGML_TYPES[12].nbytes(512) == 288
