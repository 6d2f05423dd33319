"""Weights are reckoned as llama.cpp counts them: to the byte on the CPU, by its own rules elsewhere."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fit.forged import F16, Q4_0, Q4_K, cpu, gpu, header_of, llama_header
from tests.fit.zoo import PUBLISHED, Oracle, PublishedModel
from tests.gguf.forge import Tensor, TinyModel, forge_llama_model

from quern.fit.place.buffer_type import CpuKernels, kernels_of
from quern.fit.place.placement import place
from quern.fit.place.weights import weights_by_device
from quern.fit.shape.model_shape import shape_of
from quern.gguf import ModelHeader, read_model_header
from quern.hardware import EngineDevice, ask_engine
from quern.models.starter import starter_path
from quern.spec import ExtraBuffers, FlashAttention, LoadSettings

PLAIN = CpuKernels(frozenset())
REPACK = kernels_of("CPU : AVX2 = 1 | REPACK = 1")
SETTINGS = LoadSettings(
    n_ctx_cells=512,
    n_batch_tokens=64,
    n_ubatch_tokens=64,
    n_threads=1,
    n_gpu_layers=0,
    flash_attention=FlashAttention.ON,
    mmap=False,
)
AVOIDED = replace(SETTINGS, extra_buffers=ExtraBuffers.AVOIDED)


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle() as opened:
        yield opened


def reckoned(model: ModelHeader, settings: LoadSettings, *devices: EngineDevice) -> dict[str, int]:
    shape = shape_of(model)
    kernels = kernels_of(ask_engine().system_info)
    placement = place(shape, settings, (cpu(), *devices))
    return {name: found.total for name, found in weights_by_device(model, shape, placement, settings, kernels).items()}


def check(oracle: Oracle, path: Path) -> None:
    """Compare with llama.cpp, with special CPU kernels and without; one of the two may end the engine (AMX)."""
    n_measured = 0
    for settings in (SETTINGS, AVOIDED):
        measured = oracle.measure(path, settings)
        if measured is not None:
            n_measured += 1
            assert reckoned(read_model_header(path), settings) == {"CPU": measured.weights}
    assert n_measured


def test_the_starter_model_to_the_byte(oracle: Oracle) -> None:
    path = starter_path()
    assert path is not None
    check(oracle, path)


@pytest.mark.parametrize("dropped", [frozenset[str](), frozenset({"output.weight"})])
def test_a_written_model_with_and_without_output_weights_to_the_byte(
    oracle: Oracle, dropped: frozenset[str], tmp_path: Path
) -> None:
    check(oracle, forge_llama_model(tmp_path / "tiny.gguf", TinyModel(dropped_tensors=dropped)))


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda one: one.name)
def test_published_models_to_the_byte(oracle: Oracle, published: PublishedModel, tmp_path: Path) -> None:
    check(oracle, published.write_with_tensors(tmp_path / "model.gguf"))


def on(
    model: ModelHeader, settings: LoadSettings, kernels: CpuKernels = PLAIN, *devices: EngineDevice
) -> dict[str, int]:
    shape = shape_of(model)
    placement = place(shape, settings, (cpu(), *devices))
    found = weights_by_device(model, shape, placement, settings, kernels)
    return {name: one.total for name, one in found.items()}


ALL = LoadSettings()


def test_weights_are_counted_once_however_they_are_spread() -> None:
    model = llama_header()
    whole = on(model, replace(ALL, n_gpu_layers=0))["CPU"]
    for n in range(10):
        assert sum(on(model, replace(ALL, n_gpu_layers=n), PLAIN, gpu(backend="RPC")).values()) == whole


def test_the_embedding_table_stays_with_the_host() -> None:
    found = on(llama_header(), ALL, PLAIN, gpu())
    assert found["CPU"] == 256 * 1000 * 34 // 32


def test_a_table_that_is_the_output_too_is_copied_to_the_gpu() -> None:
    tied, untied = (on(llama_header(is_tied=tied), ALL, PLAIN, gpu()) for tied in (True, False))
    assert tied == untied


def test_a_table_that_is_the_output_too_is_there_once_on_the_host() -> None:
    table = 256 * 1000 * 34 // 32
    tied, untied = (on(llama_header(is_tied=tied), replace(ALL, n_gpu_layers=0)) for tied in (True, False))
    assert untied["CPU"] - tied["CPU"] == table


def test_packing_a_table_that_is_the_output_too_copies_it() -> None:
    model = llama_header(is_tied=True, element=Q4_0)
    plain = on(model, replace(ALL, n_gpu_layers=0))["CPU"]
    assert on(model, replace(ALL, n_gpu_layers=0), REPACK)["CPU"] - plain == 256 * 1000 * 18 // 32


def test_avoided_packing_costs_nothing() -> None:
    model, settings = llama_header(is_tied=True, element=Q4_0), replace(ALL, n_gpu_layers=0)
    avoided = replace(settings, extra_buffers=ExtraBuffers.AVOIDED)
    assert on(model, avoided, REPACK) == on(model, settings)


def test_beside_a_card_with_pinned_memory_nothing_is_packed() -> None:
    model, settings = llama_header(is_tied=True, element=Q4_0), replace(ALL, n_gpu_layers=3)
    assert on(model, settings, REPACK, gpu()) == on(model, settings, PLAIN, gpu())


def test_rows_of_quantized_matrices_are_filled_up_on_cuda() -> None:
    odd = header_of(
        {
            "general.architecture": "llama",
            "llama.context_length": 64,
            "llama.embedding_length": 288,
            "llama.block_count": 1,
            "llama.attention.head_count": 1,
            "llama.feed_forward_length": 288,
        },
        [
            Tensor("token_embd.weight", (288, 100), bytes(288 * 100 // 32 * 18), Q4_0),
            Tensor("output.weight", (288, 100), bytes(288 * 100 // 32 * 18), Q4_0),
        ],
    )
    n_bytes = 288 * 100 // 32 * 18
    filled = n_bytes + (512 - 288) // 32 * 18
    assert on(odd, ALL, PLAIN, gpu())["CUDA0"] == -(-filled // 128) * 128
    assert on(odd, ALL, PLAIN, gpu(backend="MTL"))["CUDA0"] == -(-n_bytes // 32) * 32


def test_experts_stay_behind_layer_by_layer() -> None:
    model = llama_header(n_expert=8, element=F16)
    experts = 3 * 256 * 512 * 8 * 2
    with_none, with_three = (on(model, replace(ALL, n_cpu_moe_layers=n), PLAIN, gpu()) for n in (0, 3))
    assert with_three["CPU"] - with_none["CPU"] == with_none["CUDA0"] - with_three["CUDA0"] == 3 * experts


def test_layers_for_further_tokens_are_left_in_the_file() -> None:
    metadata: dict[str, object] = {
        "general.architecture": "glm4moe",
        "glm4moe.context_length": 64,
        "glm4moe.embedding_length": 256,
        "glm4moe.block_count": 2,
        "glm4moe.nextn_predict_layers": 1,
        "glm4moe.attention.head_count": 2,
        "glm4moe.feed_forward_length": 256,
    }
    tensors = [
        Tensor("token_embd.weight", (256, 10)),
        Tensor("output.weight", (256, 10)),
        Tensor("blk.0.attn_q.weight", (256, 256)),
        Tensor("blk.1.attn_q.weight", (256, 256)),
        Tensor("blk.1.nextn.eh_proj.weight", (512, 256)),
    ]
    assert on(header_of(metadata, tensors), ALL)["CPU"] == 4 * (2 * 256 * 10 + 256 * 256)


def test_mapped_pages_are_known_apart() -> None:
    model = llama_header(element=Q4_K)
    shape = shape_of(model)
    placement = place(shape, ALL, (cpu(),))
    mapped = weights_by_device(model, shape, placement, ALL, PLAIN)["CPU"]
    assert mapped.mapped == mapped.total
    packed = weights_by_device(model, shape, placement, ALL, REPACK)["CPU"]
    assert 0 < packed.mapped < packed.total
    read = weights_by_device(model, shape, placement, replace(ALL, mmap=False), PLAIN)["CPU"]
    assert read.mapped == 0
