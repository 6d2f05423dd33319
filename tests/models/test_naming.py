"""Names that a person can read and type."""

from pathlib import Path

import pytest

from quern.gguf import FileKind, ModelFacts
from quern.models.naming import TakenNames, name_of


def facts(quantization: str) -> ModelFacts:
    return ModelFacts(
        name="", architecture="llama", parameter_count=1, quantization=quantization, size_bytes=1, kind=FileKind.MODEL
    )


@pytest.mark.parametrize(
    ("file_name", "quantization", "name"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "Q4_1", "SmolLM2-135M-Instruct Q4_1"),
        ("Llama-3.2-1B-Instruct-Q4_K_M.gguf", "Q4_K_M", "Llama-3.2-1B-Instruct Q4_K_M"),
        ("qwen2.5-0.5b-instruct-q8_0.gguf", "Q8_0", "qwen2.5-0.5b-instruct Q8_0"),
        ("Qwen3-8B-UD-Q4_K_XL.gguf", "Q4_K_M", "Qwen3-8B UD-Q4_K_XL"),
        ("gemma-IQ3_XXS.gguf", "IQ3_XXS", "gemma IQ3_XXS"),
        ("phi_f16.gguf", "F16", "phi F16"),
        ("phi-bf16.gguf", "BF16", "phi BF16"),
        ("gpt-oss-20b-mxfp4.gguf", "MXFP4_MOE", "gpt-oss-20b MXFP4"),
        ("big-Q4_K_M-00001-of-00003.gguf", "Q4_K_M", "big Q4_K_M"),
        ("model.gguf", "Q5_0", "model Q5_0"),
        ("q5_0-of-mine.gguf", "Q5_0", "q5_0-of-mine"),
        ("-Q4_0.gguf", "Q4_0", "-Q4_0"),
        ("model.gguf", "", "model"),
    ],
)
def test_a_name_is_the_files_with_its_quantization(file_name: str, quantization: str, name: str) -> None:
    assert name_of(Path(file_name), facts(quantization)) == name


def test_a_bad_file_is_called_like_its_file() -> None:
    assert name_of(Path("some page.gguf"), None) == "some page"


def test_taken_names_get_their_folder_then_a_number() -> None:
    names, path = TakenNames(), Path("models/m.gguf")
    assert [names.claim(name, path) for name in ("m", "M", "m", "m")] == ["m", "M (models)", "m (2)", "m (3)"]
