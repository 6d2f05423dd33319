"""What is loaded with a model belongs to it, or one sentence says why not."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.gguf.forge import TOKENS, Tensor, TinyModel, forge, forge_llama_model

from quern.base import QuernError
from quern.gguf import FileUnreadable, GgufTruncated, NotGguf
from quern.runtime.fit.companions import Companions, ForeignAdapter, ForeignDraft, WrongCompanion, read_subject

PROJECTOR = {"general.type": "mmproj", "general.architecture": "clip"}
ADAPTER = {"general.type": "adapter", "general.architecture": "llama", "adapter.type": "lora"}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return forge_llama_model(tmp_path / "model.gguf")


def written(path: Path, metadata: Mapping[str, object]) -> Path:
    is_adapter = "adapter.type" in metadata
    name, dimensions = ("blk.0.attn_q.weight.lora_a", (64, 4)) if is_adapter else ("some.weight", (4, 4))
    path.write_bytes(forge(metadata, [Tensor(name, dimensions)]))
    return path


def refusal(model: Path, companions: Companions) -> QuernError:
    with pytest.raises(QuernError) as caught:
        read_subject(model, companions)
    return caught.value


def test_a_model_alone_is_a_subject_alone(model: Path) -> None:
    subject = read_subject(model, Companions())
    assert subject.model.first.string("general.architecture") == "llama"
    assert (subject.projector, subject.draft, subject.adapters) == (None, None, ())


def test_every_companion_is_read(model: Path, tmp_path: Path) -> None:
    companions = Companions(
        projector=written(tmp_path / "mmproj.gguf", PROJECTOR),
        draft=forge_llama_model(tmp_path / "draft.gguf", TinyModel(seed=2)),
        adapters=(written(tmp_path / "a.gguf", ADAPTER), written(tmp_path / "b.gguf", ADAPTER)),
    )
    subject = read_subject(model, companions)
    assert subject.projector is not None
    assert subject.projector.first.string("general.architecture") == "clip"
    assert subject.draft is not None
    assert len(subject.adapters) == 2


def test_a_companion_whose_end_is_missing_is_told(model: Path, tmp_path: Path) -> None:
    draft = forge_llama_model(tmp_path / "draft.gguf", TinyModel(seed=2))
    draft.write_bytes(draft.read_bytes()[:-1000])
    projector = written(tmp_path / "mmproj.gguf", PROJECTOR)
    projector.write_bytes(projector.read_bytes()[:-40])
    for companions in (Companions(draft=draft), Companions(projector=projector)):
        assert isinstance(refusal(model, companions), GgufTruncated)


def test_a_model_is_no_projector(model: Path) -> None:
    error = refusal(model, Companions(projector=model))
    assert isinstance(error, WrongCompanion)
    assert error.what == '"model.gguf" is not a projector (mmproj) but a model.'


def test_an_adapter_is_no_model_and_a_projector_no_draft(model: Path, tmp_path: Path) -> None:
    adapter = written(tmp_path / "adapter.gguf", ADAPTER)
    assert refusal(adapter, Companions()).what == '"adapter.gguf" is not a model but an adapter (LoRA).'
    projector = written(tmp_path / "mmproj.gguf", PROJECTOR)
    assert refusal(model, Companions(draft=projector)).what == '"mmproj.gguf" is not a model but a projector (mmproj).'


def test_a_missing_file_and_one_that_is_no_gguf_are_told(model: Path, tmp_path: Path) -> None:
    assert isinstance(refusal(model, Companions(draft=tmp_path / "gone.gguf")), FileUnreadable)
    page = tmp_path / "page.gguf"
    page.write_text("<html>not found</html>")
    assert isinstance(refusal(model, Companions(projector=page)), NotGguf)


def test_an_adapter_for_another_architecture_is_refused(model: Path, tmp_path: Path) -> None:
    adapter = written(tmp_path / "adapter.gguf", {**ADAPTER, "general.architecture": "gemma3"})
    error = refusal(model, Companions(adapters=(adapter,)))
    assert isinstance(error, ForeignAdapter)
    assert error.what == '"adapter.gguf" is an adapter for gemma3 models, and this is a llama model.'


@pytest.mark.parametrize(
    ("different", "words"),
    [
        (TinyModel(tokens=(*TOKENS, *(f"more{number}" for number in range(200)))), "tokens and the model's has"),
        (TinyModel(metadata={"tokenizer.ggml.eos_token_id": 4}), "begins or ends a text with another token"),
        (TinyModel(metadata={"tokenizer.ggml.model": "gpt2"}), "is of another kind"),
    ],
)
def test_a_draft_that_speaks_another_language_is_refused(
    model: Path, tmp_path: Path, different: TinyModel, words: str
) -> None:
    error = refusal(model, Companions(draft=forge_llama_model(tmp_path / "draft.gguf", different)))
    assert isinstance(error, ForeignDraft)
    assert words in error.what


def test_a_draft_may_have_a_few_tokens_more(model: Path, tmp_path: Path) -> None:
    more = TinyModel(tokens=(*TOKENS, *(f"more{number}" for number in range(100))))
    draft = forge_llama_model(tmp_path / "draft.gguf", more)
    assert read_subject(model, Companions(draft=draft)).draft is not None
