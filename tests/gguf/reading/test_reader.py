"""Reading good headers: everything short is read, everything long is left in the file, nothing stops the rest."""

import re
import subprocess
import sys
from pathlib import Path

from tests.gguf.forge import ARRAY, F64, I32, STRING, U64, Counts, Tensor, Typed, forge, packed_string

import quern
from quern.gguf import ArraySummary, BytesSource, FileSource, Header, ValueType, check_complete, read_header

MINIMAL: dict[str, object] = {"general.architecture": "llama"}


def read(data: bytes) -> Header:
    source = BytesSource(data)
    header = read_header(source)
    check_complete(header, source)
    return header


def test_a_good_header_is_read_whole() -> None:
    metadata: dict[str, object] = {
        **MINIMAL,
        "a.bool": True,
        "an.int": -5,
        "a.real": 0.5,
        "a.long": Typed(2**63, U64),
        "a.double": Typed(0.1, F64),
        "some.texts": ["en", "ar"],
        "some.numbers": [1, 2, 3],
        "no.texts": Typed([], ARRAY, STRING),
    }
    tensors = (Tensor("a.weight", (32, 2)), Tensor("b.weight", (32, 3), bytes(3 * 18), type_number=2))
    header = read(forge(metadata, tensors))

    assert header.version == 3
    assert header.string("general.architecture") == "llama"
    assert header.boolean("a.bool") is True
    assert header.integer("an.int") == -5
    assert header.real("a.real") == 0.5
    assert header.integer("a.long") == 2**63
    assert header.real("a.double") == 0.1
    assert header.strings("some.texts") == ("en", "ar")
    assert header.metadata["some.numbers"] == (1, 2, 3)
    assert header.strings("no.texts") == ()
    first, second = header.tensors
    assert (first.name, first.dimensions, first.offset, first.nbytes) == ("a.weight", (32, 2), 0, 256)
    assert (second.type.name, second.offset, second.nbytes, second.n_elements) == ("Q4_0", 256, 54, 96)
    assert header.data_offset % header.alignment == 0
    assert header.needed_bytes == header.data_offset + 256 + 54


def test_version_2_reads_like_version_3() -> None:
    assert read(forge(MINIMAL, counts=Counts(version=2))).version == 2


def test_another_alignment_is_respected() -> None:
    header = read(forge({**MINIMAL, "general.alignment": 64}) + bytes(64))
    assert header.alignment == 64
    assert header.data_offset % 64 == 0


def test_long_arrays_stay_in_the_file() -> None:
    data = forge({"tokens": [f"token {n}" for n in range(5000)], "scores": [0.5] * 5000, "last": 7})
    header = read(data)
    tokens, scores = header.metadata["tokens"], header.metadata["scores"]
    assert isinstance(tokens, ArraySummary)
    assert (tokens.element_type, tokens.length) == (ValueType.STRING, 5000)
    assert data[tokens.offset :].startswith(packed_string("token 0"))
    assert isinstance(scores, ArraySummary)
    assert (scores.element_type, scores.length) == (ValueType.FLOAT32, 5000)
    assert header.integer("last") == 7


def test_arrays_of_one_element_a_layer_are_tuples() -> None:
    header = read(
        forge(
            {
                "heads": Typed([4, 0, 4], ARRAY, I32),
                "wide": Typed([2**63, 1], ARRAY, U64),
                "windows": [True, False, True],
                "most": [7] * 1024,
                "more": [7] * 1025,
                "reals": [0.5, 1.5],
                "none": Typed([], ARRAY, I32),
                "one": 3,
            }
        )
    )
    assert header.integers("heads") == (4, 0, 4)
    assert header.integers("wide") == (2**63, 1)
    assert header.booleans("windows") == (True, False, True)
    assert header.integers("most") == (7,) * 1024
    assert header.integers("none") == ()
    assert header.array_length("more") == 1025
    for key in ("more", "windows", "reals", "one", "absent"):
        assert header.integers(key) is None
    for key in ("heads", "more", "reals", "one", "absent"):
        assert header.booleans(key) is None


def test_a_very_long_text_stays_in_the_file() -> None:
    data = forge({"huge": "x" * (2**20 + 1), "last": 7})
    header = read(data)
    huge = header.metadata["huge"]
    assert huge == ArraySummary(ValueType.UINT8, 2**20 + 1, data.index(b"xxxx"))
    assert header.integer("last") == 7


def test_many_long_texts_are_kept_only_within_the_budget() -> None:
    data = forge({f"text.{n}": "x" * 2**20 for n in range(10)} | {"last": 7})
    header = read(data)
    kept = [value for value in header.metadata.values() if isinstance(value, str)]
    assert len(kept) == 5  # a text of 1 MiB may take 4 MiB in memory, and there are 24
    assert header.integer("last") == 7


def test_GG_14_text_that_is_no_utf8_loses_nothing_else() -> None:
    metadata: dict[str, object] = {
        **MINIMAL,
        "general.description": b"\xff\xfe\xfd\xfc",
        "general.tags": ["good", b"\xff"],
        "tokenizer.chat_template": "{{ messages }}",
    }
    header = read(forge(metadata))
    assert header.string("tokenizer.chat_template") == "{{ messages }}"
    assert header.string("general.description") == "\ufffd" * 4
    assert header.strings("general.tags") == ("good", "\ufffd")
    assert header.garbled_keys == ("general.description", "general.tags")


def test_the_starter_models_header_is_read_without_its_49152_tokens(starter_model: Path) -> None:
    with FileSource(starter_model) as source:
        header = read_header(source)
    assert len(header.tensors) == 272
    assert header.array_length("tokenizer.ggml.tokens") == 49152
    assert header.needed_bytes == header.size_bytes
    assert header.strings("tokenizer.ggml.tokens") is None


def test_reading_needs_neither_numpy_nor_the_gguf_package(starter_model: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from quern.gguf import content_id, inspect_model\n"
        "inspect_model(Path(sys.argv[1])); content_id(Path(sys.argv[1]))\n"
        "print(*sorted({'numpy', 'gguf', 'llama_cpp'} & sys.modules.keys()), 'done')"
    )
    command = [sys.executable, "-c", program, str(starter_model)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() == ["done"]


def test_no_room_reads_gguf_by_other_means() -> None:
    rooms = Path(quern.__file__).parent
    other = re.compile(r"^\s*(import|from) gguf\b|GGUFReader|b\"GGUF", re.MULTILINE)
    found = {
        path.relative_to(rooms).as_posix() for path in rooms.rglob("*.py") if other.search(path.read_text("utf-8"))
    }
    # The other one writes: a measured engine is shown a model that does not exist.
    assert found == {"gguf/reading/reader.py", "fit/measure/probe_header.py"}
