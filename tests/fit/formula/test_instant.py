"""The instant answer puts all parts together, and leaves out what others forget."""

from dataclasses import replace

import pytest
from tests.fit.fake_estimator import closed
from tests.fit.forged import GIB, MIB, engine, gpu, header_of, llama_header
from tests.fit.zoo import ZOO
from tests.gguf.forge import Tensor

from quern.fit.buffer.compute import compute_bytes
from quern.fit.buffer.kv_cache import kv_bytes_by_layer
from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.errors import FitUnknown
from quern.fit.formula.corrections import Corrections
from quern.fit.formula.instant import InstantEstimator
from quern.fit.measure.runtime_costs import RuntimeCosts
from quern.fit.need import DeviceNeed, Needs
from quern.fit.report import Source
from quern.fit.subject import FitSubject
from quern.gguf import ModelHeader
from quern.hardware import EngineDevice
from quern.spec import FlashAttention, KvType, LoadSettings

MODEL = llama_header()
COSTS, UNCORRECTED, BASE = RuntimeCosts(), Corrections(), closed()


def instant(
    model: ModelHeader = MODEL,
    *gpus: EngineDevice,
    draft: ModelHeader | None = None,
    projector: ModelHeader | None = None,
    adapters: tuple[ModelHeader, ...] = (),
    corrections: Corrections = UNCORRECTED,
) -> InstantEstimator:
    subject = FitSubject(model=model, draft=draft, projector=projector, adapters=adapters)
    return InstantEstimator(subject, engine(*gpus), COSTS, corrections)


def on(estimator: InstantEstimator, settings: LoadSettings = BASE) -> dict[str, Needs]:
    return {need.device: need.needs for need in estimator.needs(settings)}


def total(needs: dict[str, Needs]) -> Needs:
    return sum(needs.values(), Needs())


def test_on_the_cpu_alone_every_part_is_the_hosts() -> None:
    estimator = instant()
    (host,) = estimator.needs(closed())
    assert estimator.source is Source.INSTANT
    assert host.device == "CPU"
    assert host.needs.kv == sum(kv_bytes_by_layer(estimator.shape, closed()))
    assert host.needs.compute == compute_bytes(estimator.shape, closed())
    assert host.needs.output == 4 * 1000
    assert host.needs.runtime > COSTS.base_bytes
    assert 0 < host.mapped <= host.needs.weights


def test_the_host_comes_first() -> None:
    assert [need.device for need in instant(MODEL, gpu()).needs(closed())] == ["CPU", "CUDA0"]


def test_the_kv_cache_lies_with_its_layers() -> None:
    estimator = instant(MODEL, gpu("CUDA0"), gpu("CUDA1"))
    needs = on(estimator, closed(n_gpu_layers=7, tensor_split=(3.0, 4.0)))
    whole = sum(kv_bytes_by_layer(estimator.shape, closed()))
    assert needs["CPU"].kv == whole * 2 // 8
    assert needs["CUDA0"].kv == whole * 3 // 8
    assert needs["CUDA1"].kv == whole * 3 // 8


@pytest.mark.parametrize("n", range(11))
def test_moving_layers_moves_kv_and_loses_none(n: int) -> None:
    needs = total(on(instant(MODEL, gpu(backend="RPC")), closed(n_gpu_layers=n)))
    assert needs.kv == total(on(instant())).kv
    assert needs.weights == total(on(instant())).weights


def test_every_gpu_that_takes_part_costs_its_context() -> None:
    needs = on(instant(MODEL, gpu("CUDA0"), gpu("CUDA1")))
    assert [needs[name].runtime for name in ("CUDA0", "CUDA1")] == [COSTS.gpu_bytes("CUDA")] * 2


def test_a_gpu_that_computes_for_the_cpu_copies_the_widest_matrix_there() -> None:
    model = llama_header(n_expert=8)
    widest = 256 * 512 * 8 * 34 // 32
    plain = on(instant(model, gpu()))["CUDA0"].compute
    shared = on(instant(model, gpu()), closed(n_cpu_moe_layers=2))["CUDA0"].compute
    assert shared - plain == widest
    few = closed(n_cpu_moe_layers=2, n_ubatch_tokens=16)
    assert on(instant(model, gpu()), few)["CUDA0"].compute < widest


def test_a_longer_context_never_takes_less() -> None:
    estimator = instant()
    sizes = [total(on(estimator, closed(n_ctx_cells=256 * step))).total for step in range(1, 33)]
    assert sizes == sorted(sizes)


def test_a_draft_model_brings_its_own_cache_and_vocabulary() -> None:
    alone, drafted = on(instant()), on(instant(draft=llama_header(n_layer=2)))
    draft = drafted["CPU"].draft
    own = on(instant(llama_header(n_layer=2)))["CPU"]
    assert draft >= own.weights + own.kv + own.compute + own.output
    assert drafted["CPU"].total - alone["CPU"].total == draft


def test_a_draft_model_whose_heads_are_odd_keeps_sixteen_bits() -> None:
    odd = header_of(
        {
            "general.architecture": "llama",
            "llama.context_length": 512,
            "llama.embedding_length": 72,
            "llama.block_count": 1,
            "llama.attention.head_count": 2,
            "llama.feed_forward_length": 64,
        },
        [Tensor("token_embd.weight", (72, 100)), Tensor("output.weight", (72, 100))],
    )
    eight_bits = closed(type_k=KvType.Q8_0, type_v=KvType.Q8_0)
    with pytest.raises(SettingsRefused):
        instant(odd).needs(eight_bits)
    assert on(instant(draft=odd), eight_bits)["CPU"].draft > 0


def projector(**more: object) -> ModelHeader:
    metadata: dict[str, object] = {
        "general.architecture": "clip",
        "clip.has_vision_encoder": True,
        "clip.vision.embedding_length": 64,
        "clip.vision.feed_forward_length": 128,
        "clip.vision.attention.head_count": 4,
        "clip.vision.image_size": 224,
        "clip.vision.patch_size": 14,
    }
    return header_of(metadata | more, [Tensor("v.blk.0.attn_q.weight", (64, 64))])


def test_a_projector_counts_with_weights_and_scratch_on_the_first_gpu() -> None:
    weights, patches = 64 * 64 * 4, 16 * 16
    assert on(instant(projector=projector()))["CPU"].projector == weights + 4 * patches * (3 * 128 + 4 * 64)
    needs = on(instant(MODEL, gpu(), projector=projector()))
    assert needs["CPU"].projector == 0
    assert needs["CUDA0"].projector > weights


def test_a_projector_without_flash_attention_keeps_all_scores() -> None:
    off = closed(flash_attention=FlashAttention.OFF)
    estimator = instant(projector=projector())
    assert on(estimator, off)["CPU"].projector - on(estimator)["CPU"].projector == 4 * 4 * 256 * 256


def test_a_projector_for_pictures_of_any_size_reserves_for_many_patches() -> None:
    any_size = projector(**{"clip.vision.projector_type": "qwen2.5vl_merger"})
    many = on(instant(projector=any_size))["CPU"].projector
    assert many == 64 * 64 * 4 + 4 * (4 * 46 * 46) * (3 * 128 + 4 * 64)
    more = projector(**{"clip.vision.image_max_pixels": 4_000_000})
    assert on(instant(projector=more))["CPU"].projector > many


def test_a_projector_that_says_nothing_counts_with_its_weights() -> None:
    bare = header_of({"general.architecture": "clip"}, [Tensor("mm.0.weight", (64, 64))])
    assert on(instant(projector=bare))["CPU"].projector == 64 * 64 * 4


def test_adapters_lie_with_the_weights_that_they_change() -> None:
    lora = header_of(
        {"general.architecture": "llama", "general.type": "adapter", "adapter.type": "lora"},
        [
            Tensor("blk.0.attn_q.weight.lora_a", (256, 8)),
            Tensor("blk.0.attn_q.weight.lora_b", (8, 256)),
            Tensor("blk.7.attn_q.weight.lora_a", (256, 8)),
            Tensor("blk.7.attn_q.weight.lora_b", (8, 256)),
        ],
    )
    pair = 2 * 4 * 256 * 8
    assert on(instant(adapters=(lora, lora)))["CPU"].adapters == 4 * pair
    split = on(instant(MODEL, gpu(), adapters=(lora,)), closed(n_gpu_layers=2))
    assert (split["CPU"].adapters, split["CUDA0"].adapters) == (pair, pair)


def test_what_was_learned_corrects_compute_alone() -> None:
    plain, learned = on(instant())["CPU"], on(instant(corrections=Corrections(compute_flash=1.25)))["CPU"]
    assert learned.compute == round(plain.compute * 1.25)
    assert replace(learned, compute=0) == replace(plain, compute=0)


def test_settings_that_the_engine_refuses_are_one_sentence() -> None:
    off = closed(type_v=KvType.Q8_0, flash_attention=FlashAttention.OFF)
    with pytest.raises(SettingsRefused):
        instant().needs(off)
    with pytest.raises(SettingsRefused):
        instant(MODEL, gpu()).needs(closed(tensor_split=(1.0, 2.0)))


@pytest.mark.parametrize("n_gpu_layers", [10**12, 9, 0])
@pytest.mark.parametrize("n_ctx_cells", [256, 2**31 - 256])
def test_extreme_numbers_have_an_answer(n_gpu_layers: int, n_ctx_cells: int) -> None:
    needs = on(instant(MODEL, gpu()), closed(n_gpu_layers=n_gpu_layers, n_ctx_cells=n_ctx_cells))
    assert total(needs).kv > 0


def test_a_header_that_says_too_little_is_refused_at_once() -> None:
    with pytest.raises(FitUnknown):
        instant(header_of({"general.architecture": "llama"}))


def test_recurrent_state_grows_with_sequences_and_not_with_context() -> None:
    mamba = header_of(
        {
            "general.architecture": "mamba",
            "mamba.context_length": 4096,
            "mamba.embedding_length": 64,
            "mamba.block_count": 2,
            "mamba.ssm.conv_kernel": 4,
            "mamba.ssm.inner_size": 128,
            "mamba.ssm.state_size": 16,
            "mamba.ssm.time_step_rank": 4,
        },
        [Tensor("token_embd.weight", (64, 100))],
    )
    estimator = instant(mamba)
    one, long, four = (
        total(on(estimator, asked)) for asked in (closed(), closed(n_ctx_cells=65_536), closed(n_seq_max=4))
    )
    assert one.kv == 0
    assert one.recurrent == long.recurrent == four.recurrent // 4 > 0


def test_needs_on_a_large_machine_stay_whole_numbers() -> None:
    (host, card) = instant(MODEL, gpu("CUDA0", 80 * GIB)).needs(closed())
    assert isinstance(host, DeviceNeed)
    assert card.needs.total < 1 * GIB
    assert host.needs.total < 100 * MIB


@pytest.mark.parametrize(
    ("architecture", "name", "value"),
    [
        ("mamba2", "ssm.group_count", 0),
        ("jamba", "ssm.inner_size", 0),
        ("qwen3next", "ssm.time_step_rank", 0),
        ("kimi-linear", "attention.head_count", 0),
        ("llama", "embedding_length", 3),
    ],
)
def test_sizes_that_make_no_graph_are_one_sentence(architecture: str, name: str, value: int) -> None:
    entry = next(entry for entry in ZOO if entry.architecture == architecture)
    lie: dict[str, object] = {**entry.metadata(), f"{architecture}.{name}": value}
    with pytest.raises(FitUnknown) as caught:
        on(instant(header_of(lie), gpu()), BASE)
    assert "do not go together" in caught.value.what
