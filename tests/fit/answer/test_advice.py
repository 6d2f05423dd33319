"""Advice helps, says by how much, and says the truth: every gain is what the estimator says of the changed settings."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fit.fake_estimator import FakeEstimator, closed, gpu_room, gpus, host_room
from tests.fit.forged import GIB, MIB

from quern.fit.answer.advice import advise
from quern.fit.answer.attempt import Attempts
from quern.fit.answer.leeway import Leeway, leeway_of
from quern.fit.report import Advice, AdviceKind
from quern.fit.room import HOST, Room
from quern.spec import FlashAttention, KvType, LoadSettings


def advice(fake: FakeEstimator, asked: LoadSettings, *rooms: Room) -> tuple[Advice, ...]:
    return advise(Attempts(fake, rooms), asked, leeway_of(fake.shape))


def kinds(found: Sequence[Advice]) -> list[AdviceKind]:
    return [one.kind for one in found]


def only(found: Sequence[Advice], kind: AdviceKind) -> Advice:
    (one,) = [step for step in found if step.kind is kind]
    return one


def test_what_fits_needs_no_advice() -> None:
    assert advice(FakeEstimator(), closed(), host_room(8 * GIB)) == ()


def test_a_long_context_is_made_shorter_or_smaller() -> None:
    found = advice(FakeEstimator(), closed(n_ctx_cells=131_072), host_room(3 * GIB))
    shorter = only(found, AdviceKind.SMALLER_CONTEXT)
    assert shorter.fits
    assert shorter.settings is not None
    assert shorter.settings.n_ctx_cells is not None
    assert shorter.detail == f"{shorter.settings.n_ctx_cells:,}"


def test_the_most_harmless_comes_first() -> None:
    asked = closed(n_ctx_cells=65_536, n_seq_max=4, flash_attention=FlashAttention.OFF)
    found = advice(FakeEstimator(state=50 * MIB, slides=True), asked, host_room(2 * GIB))
    order = [list(AdviceKind).index(one.kind) for one in found if " + " not in one.detail]
    assert order == sorted(order)
    assert len(order) >= 5


def test_fewer_sequences_as_few_fewer_as_possible() -> None:
    asked = closed(n_seq_max=8)
    fake = FakeEstimator(state=10 * MIB)
    needed = sum(need.needs.total for need in fake.needs(asked))
    found = advice(fake, asked, host_room(needed + 256 * MIB - 300 * MIB))
    assert only(found, AdviceKind.FEWER_SEQUENCES).detail == "4"


def test_the_sliding_window_is_advised_only_where_layers_slide() -> None:
    asked, room = closed(n_ctx_cells=65_536), host_room(2 * GIB)
    assert AdviceKind.SLIDING_WINDOW in kinds(advice(FakeEstimator(slides=True), asked, room))
    assert AdviceKind.SLIDING_WINDOW not in kinds(advice(FakeEstimator(), asked, room))


def test_flash_attention_is_advised_only_where_it_is_off() -> None:
    room = host_room(1 * GIB)
    off = closed(n_ctx_cells=32_768, flash_attention=FlashAttention.OFF)
    assert AdviceKind.FLASH_ATTENTION in kinds(advice(FakeEstimator(), off, room))
    assert AdviceKind.FLASH_ATTENTION not in kinds(advice(FakeEstimator(), closed(n_ctx_cells=32_768), room))


def test_kv_types_that_the_heads_do_not_divide_are_not_advised() -> None:
    asked, room = closed(n_ctx_cells=65_536), host_room(2 * GIB)
    fake = FakeEstimator(refuses=frozenset({KvType.Q8_0, KvType.Q4_0}))
    assert AdviceKind.KV_TYPE not in kinds(advice(fake, asked, room))
    details = [one.detail for one in advice(FakeEstimator(), asked, room) if one.kind is AdviceKind.KV_TYPE]
    assert details == ["q8_0", "q4_0"]


def test_a_quantized_cache_brings_the_flash_attention_that_it_needs() -> None:
    asked = closed(n_ctx_cells=32_768, flash_attention=FlashAttention.OFF)
    found = [one for one in advice(FakeEstimator(), asked, host_room(1 * GIB)) if one.kind is AdviceKind.KV_TYPE]
    assert found
    assert all(one.settings and one.settings.flash_attention is FlashAttention.ON for one in found)


def test_on_a_gpu_experts_and_layers_move_and_the_host_pays() -> None:
    fake = FakeEstimator(experts=300 * MIB, devices=gpus(2 * GIB))
    found = advice(fake, closed(), host_room(16 * GIB), gpu_room(2 * GIB))
    experts = only(found, AdviceKind.EXPERTS_TO_CPU)
    assert (experts.device, experts.fits) == ("CUDA0", True)
    assert experts.detail == "5 of 8 layers"
    assert experts.gain == 5 * 300 * MIB
    layers = only(found, AdviceKind.FEWER_GPU_LAYERS)
    assert (layers.device, layers.fits, layers.detail) == ("CUDA0", True, "5 of 9 layers")


def test_dense_models_have_no_experts_to_move() -> None:
    fake = FakeEstimator(devices=gpus(600 * MIB))
    assert AdviceKind.EXPERTS_TO_CPU not in kinds(advice(fake, closed(), host_room(8 * GIB), gpu_room(600 * MIB)))
    unknown = advise(Attempts(fake, (host_room(8 * GIB), gpu_room(600 * MIB))), closed(), Leeway())
    assert AdviceKind.EXPERTS_TO_CPU not in kinds(unknown)


def test_layers_do_not_move_to_a_host_that_is_full() -> None:
    fake = FakeEstimator(body=1000 * MIB, devices=gpus(4 * GIB))
    found = advice(fake, closed(), host_room(1 * GIB), gpu_room(4 * GIB))
    assert not any(one.fits for one in found if one.kind is AdviceKind.FEWER_GPU_LAYERS)


def test_a_full_host_beside_an_idle_gpu_is_told_to_use_it() -> None:
    fake = FakeEstimator(devices=gpus(8 * GIB))
    asked = closed(n_gpu_layers=0)
    found = advice(fake, asked, host_room(500 * MIB), gpu_room(8 * GIB))
    more = only(found, AdviceKind.MORE_GPU_LAYERS)
    assert (more.device, more.fits, more.detail) == (HOST, True, "9 of 9 layers")


def test_an_idle_gpu_is_advised_even_where_it_fits() -> None:
    fake = FakeEstimator(devices=gpus(8 * GIB))
    (more,) = advice(fake, closed(n_gpu_layers=3), host_room(8 * GIB), gpu_room(8 * GIB))
    assert (more.kind, more.fits) == (AdviceKind.MORE_GPU_LAYERS, True)
    assert more.settings == closed()


def test_unloading_is_advised_where_others_are_loaded() -> None:
    fake = FakeEstimator()
    needed = sum(need.needs.total for need in fake.needs(closed()))
    others = host_room(needed, own=1 * GIB)
    unload = only(advice(fake, closed(), others), AdviceKind.UNLOAD_OTHERS)
    assert (unload.gain, unload.fits, unload.settings) == (1 * GIB, True, None)
    assert AdviceKind.UNLOAD_OTHERS not in kinds(advice(fake, closed(), host_room(needed, own=1, reclaimable=1)))


def test_a_smaller_quantization_is_named_with_its_size() -> None:
    fake = FakeEstimator(body=1000 * MIB)
    attempts = Attempts(fake, (host_room(6 * GIB),))
    n_parameters = 8_000_000_000  # 8.5 bits a weight now
    found = advise(attempts, closed(), Leeway(n_layers=9, n_expert_layers=0, n_parameters=n_parameters))
    smaller = only(found, AdviceKind.SMALLER_QUANTIZATION)
    assert smaller.detail.startswith("Q5_K_M, at most 5.6")
    assert smaller.fits
    assert smaller.settings is None


def test_no_quantization_is_advised_that_does_not_exist() -> None:
    fake = FakeEstimator(body=10_000 * MIB)
    attempts = Attempts(fake, (host_room(6 * GIB),))
    found = advise(attempts, closed(), Leeway(n_layers=9, n_expert_layers=0, n_parameters=80_000_000_000))
    assert AdviceKind.SMALLER_QUANTIZATION not in kinds(found)


def test_where_no_step_is_enough_the_fewest_together_are_given() -> None:
    fake = FakeEstimator(slides=True, state=20 * MIB, cell=8192)
    asked = closed(n_ctx_cells=16_384, n_seq_max=4, n_ubatch_tokens=2048, flash_attention=FlashAttention.OFF)
    attempts = Attempts(fake, (host_room(0),))
    floor = attempts.outcome(
        closed(n_ctx_cells=4096, n_ubatch_tokens=64, swa_full=False, type_k=KvType.Q4_0, type_v=KvType.Q4_0)
    )
    room = host_room(-floor.worst.left + 256 * MIB + 60 * MIB)
    found = advice(fake, asked, room)
    whole = [one for one in found if one.fits and " + " in one.detail]
    assert len(whole) == 1
    assert whole[0].settings is not None
    assert Attempts(fake, (room,)).fits(whole[0].settings)


@settings(max_examples=150, deadline=None)
@given(
    free=st.integers(100 * MIB, 12 * GIB),
    gpu_free=st.none() | st.integers(100 * MIB, 12 * GIB),
    n_ctx=st.sampled_from([256, 4096, 32_768, 131_072]),
    n_seq=st.sampled_from([1, 4]),
    n_gpu_layers=st.sampled_from([None, 0, 3]),
    experts=st.sampled_from([0, 200 * MIB]),
    flash=st.sampled_from([FlashAttention.ON, FlashAttention.OFF]),
)
def test_every_gain_is_true_and_every_step_helps(
    free: int,
    gpu_free: int | None,
    n_ctx: int,
    n_seq: int,
    n_gpu_layers: int | None,
    experts: int,
    flash: FlashAttention,
) -> None:
    rooms = [host_room(free), *([gpu_room(gpu_free)] if gpu_free is not None else [])]
    devices = gpus() if gpu_free is None else gpus(gpu_free)
    fake = FakeEstimator(devices=devices, experts=experts, slides=True, state=8 * MIB)
    asked = closed(n_ctx_cells=n_ctx, n_seq_max=n_seq, n_gpu_layers=n_gpu_layers, flash_attention=flash)
    attempts = Attempts(fake, rooms)
    before = attempts.outcome(asked)
    for one in advise(attempts, asked, leeway_of(fake.shape)):
        assert one.gain > 0
        if one.settings is None:
            continue
        after = Attempts(fake, rooms).outcome(one.settings)
        assert one.fits == after.fits
        assert one.gain == after.of(one.device).left - before.of(one.device).left
        assert before.fits or after.lack < before.lack
    assert attempts.n_asked < 200
