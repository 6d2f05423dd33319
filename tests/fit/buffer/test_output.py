"""The output buffer's bytes are llama.cpp's own."""

from pathlib import Path
from random import Random

from tests.fit.zoo import SETTINGS, ZOO, Oracle

from quern.fit import shape_of
from quern.fit.buffer.output import output_bytes
from quern.gguf import read_model_header

# The worker counts logits alone; t5 has its embeddings there too (llama-context.cpp, output_reserve).
EMBEDDINGS_TOO = {"t5"}


def test_models_of_every_architecture_hand_back_in_what_llama_cpp_says(tmp_path: Path) -> None:
    found: list[str] = []
    with Oracle() as oracle:
        for entry in (entry for entry in ZOO if entry.architecture not in EMBEDDINGS_TOO):
            path = entry.write(tmp_path / "model.gguf")
            number = Random(entry.name).randrange(len(SETTINGS))
            measured = oracle.measure(path, SETTINGS[number])
            mine = output_bytes(shape_of(read_model_header(path)), SETTINGS[number])
            if measured is not None and mine != measured.output:
                found.append(f"{entry.name}, setting {number}: {mine}, and llama.cpp says {measured.output}")
    assert found == []
