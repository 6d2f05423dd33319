"""Projectors, adapters and derived models say what they belong to."""

from pathlib import Path

import pytest
from tests.gguf.forge import ARRAY, I32, Tensor, Typed, forge

from quern.gguf import (
    AdapterFacts,
    BaseModel,
    BytesSource,
    FileKind,
    Header,
    ProjectorFacts,
    adapter_facts,
    base_models,
    facts_of,
    inspect_file,
    projector_facts,
    read_header,
)


def header(metadata: dict[str, object], *tensors: Tensor) -> Header:
    return read_header(BytesSource(forge(metadata, tensors)))


def test_a_projector_says_the_width_of_its_model() -> None:
    clip = header(
        {
            "general.architecture": "clip",
            "general.type": "mmproj",
            "clip.has_vision_encoder": True,
            "clip.projector_type": "gemma3",
            "clip.vision.projection_dim": 2560,
        },
        Tensor("v.weight", (32,)),
    )
    assert projector_facts(clip) == ProjectorFacts(kinds=("gemma3",), n_embd=2560, sees=True, hears=False)
    assert facts_of(clip).kind is FileKind.PROJECTOR
    assert facts_of(clip).n_projection == 2560


def test_a_projector_for_pictures_and_sound_names_both() -> None:
    omni = header(
        {
            "clip.has_vision_encoder": True,
            "clip.has_audio_encoder": True,
            "clip.vision.projector_type": "qwen2.5vl_merger",
            "clip.audio.projector_type": "qwen2.5o",
            "clip.audio.projection_dim": 3584,
        }
    )
    found = projector_facts(omni)
    assert (found.kinds, found.n_embd) == (("qwen2.5vl_merger", "qwen2.5o"), 3584)
    assert (found.sees, found.hears) == (True, True)


def test_an_old_llava_projector_is_measured_and_not_believed() -> None:
    metadata: dict[str, object] = {"clip.projector_type": "mlp", "clip.vision.projection_dim": 768}
    assert projector_facts(header(metadata, Tensor("mm.2.weight", (16, 4096), bytes(16 * 4096 * 4)))).n_embd == 4096
    assert projector_facts(header(metadata)).n_embd is None


def test_an_adapter_says_what_it_changes() -> None:
    lora = header(
        {
            "general.architecture": "qwen3",
            "general.type": "adapter",
            "adapter.type": "lora",
            "adapter.lora.alpha": 32.0,
        },
        Tensor("blk.0.attn_q.weight.lora_a", (64, 16)),
        Tensor("blk.0.attn_q.weight.lora_b", (16, 64)),
        Tensor("token_embd.weight.lora_a", (16, 1000)),
    )
    assert adapter_facts(lora) == AdapterFacts(kind="lora", architecture="qwen3", rank=16, alpha=32.0)


def test_base_models_are_read_in_their_order() -> None:
    merged = header(
        {
            "general.base_model.count": 3,
            "general.base_model.0.name": "Qwen3 4B",
            "general.base_model.0.organization": "Qwen",
            "general.base_model.0.repo_url": "https://example.org/qwen3",
            "general.base_model.2.name": "Other",
        }
    )
    first, other = base_models(merged)
    assert first == BaseModel(name="Qwen3 4B", organization="Qwen", repository="https://example.org/qwen3")
    assert other == BaseModel(name="Other")
    assert facts_of(merged).base_models == ("https://example.org/qwen3", "Other")


@pytest.mark.parametrize("count", [-1, 0, "three", 2**32 - 1, True])
def test_a_strange_number_of_base_models_does_no_harm(count: object) -> None:
    found = base_models(header({"general.base_model.count": count, "general.base_model.0.name": "Base"}))
    assert found == ((BaseModel(name="Base"),) if count == 2**32 - 1 else ())


def test_strange_values_count_as_absent() -> None:
    strange = header({"clip.projector_type": 7, "clip.vision.projection_dim": "wide", "adapter.lora.alpha": "much"})
    assert projector_facts(strange) == ProjectorFacts(kinds=(), n_embd=None, sees=False, hears=False)
    assert adapter_facts(strange) == AdapterFacts(kind="", architecture="", rank=None, alpha=None)


def test_a_draft_model_says_what_matching_needs() -> None:
    draft = header(
        {
            "general.architecture": "eagle3",
            "eagle3.target_layers": Typed([2, 14, 25], ARRAY, I32),
            "eagle3.target_hidden_size": 4096,
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "llama-bpe",
        },
        Tensor("token_embd.weight", (8, 100)),
    )
    assert draft.integers("eagle3.target_layers") == (2, 14, 25)
    assert draft.integer("eagle3.target_hidden_size") == 4096
    assert facts_of(draft).n_vocab == 100
    assert (draft.string("tokenizer.ggml.model"), draft.string("tokenizer.ggml.pre")) == ("gpt2", "llama-bpe")


def test_any_whole_file_can_be_inspected_whatever_it_is_for(tmp_path: Path) -> None:
    path = tmp_path / "imatrix.gguf"
    path.write_bytes(forge({"general.type": "imatrix"}, [Tensor("x.in_sum2", (32,))]))
    facts = inspect_file(path)
    assert (facts.kind, facts.name, facts.parameter_count) == (FileKind.IMATRIX, "imatrix", 32)
