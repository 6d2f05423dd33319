"""The best settings fit where any do, and are never worse than the plain ones."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fit.fake_estimator import FakeEstimator, closed, gpu_room, gpus, host_room
from tests.fit.forged import GIB, MIB

from quern.fit.answer.attempt import Attempts
from quern.fit.answer.auto import best_settings
from quern.fit.goal import Goal, Wish
from quern.fit.room import Room, RoomKind
from quern.spec import FlashAttention, KvType, LoadSettings

LONGEST, FASTEST = Wish(goal=Goal.LONGEST_CONTEXT), Wish(goal=Goal.FASTEST)
BASE = closed()
TRAINED = 8192  # of the forged shape


def best(fake: FakeEstimator, wish: Wish, *rooms: Room, base: LoadSettings = BASE) -> LoadSettings:
    return best_settings(fake, base, rooms, wish, fake.shape)


def fits(fake: FakeEstimator, chosen: LoadSettings, *rooms: Room) -> bool:
    return Attempts(fake, rooms).fits(chosen)


def on(
    *free: int, body: int = 100 * MIB, experts: int = 0, head: int = 50 * MIB
) -> tuple[FakeEstimator, tuple[Room, ...]]:
    """Return a model and rooms: 16 GiB of memory and GPUs of `free`."""
    fake = FakeEstimator(devices=gpus(*free), body=body, experts=experts, head=head)
    return fake, (host_room(16 * GIB), *(gpu_room(size, f"CUDA{index}") for index, size in enumerate(free)))


def test_with_room_enough_the_longest_context_is_the_trained_one() -> None:
    chosen = best(FakeEstimator(), LONGEST, host_room(16 * GIB))
    assert chosen == closed(n_ctx_cells=TRAINED, n_gpu_layers=0)


def test_the_longest_context_that_fits_is_maximal() -> None:
    fake, room = FakeEstimator(cell=65_536), host_room(4 * GIB)
    chosen = best(fake, LONGEST, room)
    assert chosen.n_ctx_cells is not None
    assert 4096 <= chosen.n_ctx_cells < TRAINED
    assert fits(fake, chosen, room)
    assert not fits(fake, replace(chosen, n_ctx_cells=chosen.n_ctx_cells + 256), room)


def test_the_fastest_keeps_the_context_asked_for() -> None:
    chosen = best(FakeEstimator(), FASTEST, host_room(16 * GIB), base=closed(n_ctx_cells=6144))
    assert chosen.n_ctx_cells == 6144


def test_everything_goes_to_a_gpu_that_holds_it() -> None:
    fake, rooms = on(8 * GIB)
    assert best(fake, FASTEST, *rooms) == closed()


def test_experts_leave_the_gpu_before_layers_do() -> None:
    fake, rooms = on(2 * GIB, experts=300 * MIB)
    chosen = best(fake, FASTEST, *rooms)
    assert chosen.n_gpu_layers is None
    assert chosen.n_cpu_moe_layers == 5
    assert fits(fake, chosen, *rooms)
    assert not fits(fake, replace(chosen, n_cpu_moe_layers=4), *rooms)


def test_layers_leave_where_experts_are_not_enough() -> None:
    fake, rooms = on(700 * MIB, experts=300 * MIB)
    chosen = best(fake, FASTEST, *rooms)
    assert chosen.n_cpu_moe_layers == 8
    assert chosen.n_gpu_layers is not None
    assert 0 < chosen.n_gpu_layers < 9
    assert fits(fake, chosen, *rooms)
    assert not fits(fake, replace(chosen, n_gpu_layers=chosen.n_gpu_layers + 1), *rooms)


def test_a_gpu_that_holds_nothing_is_left_alone() -> None:
    fake, rooms = on(130 * MIB)
    assert best(fake, FASTEST, *rooms).n_gpu_layers == 0


def test_a_person_who_keeps_the_model_on_the_cpu_is_obeyed() -> None:
    fake, rooms = on(8 * GIB)
    assert best(fake, FASTEST, *rooms, base=closed(n_gpu_layers=0)).n_gpu_layers == 0


def test_gpus_of_different_sizes_get_shares_that_fit() -> None:
    fake, rooms = on(600 * MIB, 1000 * MIB, head=200 * MIB)
    chosen = best(fake, FASTEST, *rooms)
    assert chosen.n_gpu_layers is None
    assert sum(chosen.tensor_split) == 9
    assert fits(fake, chosen, *rooms)


def test_shares_are_moved_until_each_gpu_holds_its_part() -> None:
    """By free memory alone, the output and as many layers as on the first GPU would go to the second."""
    fake, rooms = on(1000 * MIB, 1000 * MIB, head=500 * MIB)
    chosen = best(fake, FASTEST, *rooms)
    assert chosen.tensor_split == (6.0, 3.0)
    assert fits(fake, chosen, *rooms)
    assert not fits(fake, closed(), *rooms)


def test_several_gpus_and_too_many_experts() -> None:
    fake, rooms = on(1000 * MIB, 2000 * MIB, experts=300 * MIB)
    chosen = best(fake, FASTEST, *rooms)
    assert chosen.n_cpu_moe_layers > 0
    assert len(chosen.tensor_split) == 2
    assert fits(fake, chosen, *rooms)


def test_unified_memory_is_not_spent_twice() -> None:
    fake = FakeEstimator(body=1000 * MIB, devices=gpus(12 * GIB))
    rooms = (host_room(9 * GIB), gpu_room(9 * GIB, kind=RoomKind.UNIFIED))
    chosen = best(fake, FASTEST, *rooms)
    assert chosen.n_gpu_layers is None
    assert fits(fake, chosen, *rooms)


@pytest.mark.parametrize("goal", list(Goal))
def test_keys_and_values_are_quantized_with_consent_only(goal: Goal) -> None:
    fake, room = FakeEstimator(cell=262_144), host_room(9 * GIB)
    chosen = best(fake, Wish(goal=goal, n_users=2), room)
    assert (chosen.type_k, chosen.type_v) == (KvType.F16, KvType.F16)


def test_with_consent_more_context_is_worth_eight_bits() -> None:
    fake, room = FakeEstimator(cell=131_072), host_room(6 * GIB)
    without = best(fake, LONGEST, room)
    consent = best(fake, replace(LONGEST, allows_quantized_kv=True), room)
    assert (consent.type_k, consent.type_v, consent.flash_attention) == (KvType.Q8_0, KvType.Q8_0, FlashAttention.ON)
    assert (consent.n_ctx_cells or 0) > (without.n_ctx_cells or 0)


def test_consent_is_not_used_where_it_brings_nothing_or_is_refused() -> None:
    consent = replace(LONGEST, allows_quantized_kv=True)
    assert best(FakeEstimator(), consent, host_room(16 * GIB)).type_k is KvType.F16
    odd = FakeEstimator(cell=131_072, refuses=frozenset({KvType.Q8_0}))
    assert best(odd, consent, host_room(6 * GIB)).type_k is KvType.F16


def test_a_short_window_is_taken_before_eight_bits() -> None:
    fake, room = FakeEstimator(cell=65_536, slides=True), host_room(4 * GIB)
    chosen = best(fake, replace(LONGEST, allows_quantized_kv=True), room)
    assert not chosen.swa_full
    assert chosen.type_k is KvType.F16


def test_users_get_their_sequences_and_their_share() -> None:
    chosen = best(FakeEstimator(), Wish(goal=Goal.USERS, n_users=4), host_room(16 * GIB))
    assert (chosen.n_seq_max, chosen.kv_unified, chosen.n_ctx_cells) == (4, True, 4 * 4096)


def test_asking_for_users_again_changes_nothing() -> None:
    wish, room = Wish(goal=Goal.USERS, n_users=4), host_room(16 * GIB)
    chosen = best(FakeEstimator(), wish, room)
    assert best(FakeEstimator(), wish, room, base=chosen) == chosen


def test_more_users_than_the_engine_can_have_are_as_many_as_it_can() -> None:
    chosen = best(FakeEstimator(), Wish(goal=Goal.USERS, n_users=10_000), host_room(64 * GIB))
    assert chosen.n_seq_max == 256


def test_no_user_is_one() -> None:
    assert best(FakeEstimator(), Wish(goal=Goal.USERS, n_users=0), host_room(16 * GIB)).n_seq_max == 1


@pytest.mark.parametrize("goal", list(Goal))
def test_weights_larger_than_everything_get_the_least_bad_and_a_useful_context(goal: Goal) -> None:
    fake, rooms = on(2 * GIB, body=5000 * MIB)
    chosen = best(fake, Wish(goal=goal, n_users=1), *rooms)
    assert not fits(fake, chosen, *rooms)
    assert chosen.n_ctx_cells == 4096


def test_on_the_cpu_alone_attention_is_as_a_load_closes_it() -> None:
    fake, rooms = on(130 * MIB)
    chosen = best(fake, FASTEST, *rooms, base=closed(flash_attention=FlashAttention.AUTO))
    assert chosen.flash_attention is FlashAttention.OFF


rooms_of_a_machine = st.tuples(st.integers(200 * MIB, 16 * GIB), st.lists(st.integers(100 * MIB, 16 * GIB), max_size=3))


@settings(max_examples=150, deadline=None)
@given(
    sizes=rooms_of_a_machine,
    goal=st.sampled_from(list(Goal)),
    n_users=st.integers(1, 6),
    consent=st.booleans(),
    body=st.integers(10 * MIB, 900 * MIB),
    experts=st.sampled_from([0, 0, 400 * MIB]),
    head=st.integers(1 * MIB, 800 * MIB),
    cell=st.integers(256, 65_536),
    slides=st.booleans(),
)
def test_never_worse_than_the_plain_default_and_never_over_the_rooms(
    sizes: tuple[int, list[int]],
    goal: Goal,
    n_users: int,
    consent: bool,
    body: int,
    experts: int,
    head: int,
    cell: int,
    slides: bool,
) -> None:
    free, cards = sizes
    fake = FakeEstimator(
        devices=gpus(*cards), body=body, experts=experts, head=head, cell=cell, slides=slides, state=MIB
    )
    rooms = (host_room(free), *(gpu_room(size, f"CUDA{index}") for index, size in enumerate(cards)))
    wish, base = Wish(goal=goal, n_users=n_users, allows_quantized_kv=consent), closed()
    chosen = best_settings(fake, base, rooms, wish, fake.shape)
    assert fake.n_asked < 1500
    assert chosen == best_settings(fake, base, rooms, wish, fake.shape)
    found, default = Attempts(fake, rooms).outcome(chosen), Attempts(fake, rooms).outcome(base)
    if goal is not Goal.USERS:
        assert found.fits or found.lack <= default.lack
        if default.fits:
            assert (chosen.n_ctx_cells or 0) >= (base.n_ctx_cells or 0)
    on_the_host = Attempts(fake, rooms).outcome(closed(n_gpu_layers=0))
    if on_the_host.fits and goal is not Goal.USERS:
        assert found.fits
    if not consent:
        assert chosen.type_k is KvType.F16
    assert (chosen.n_ctx_cells or 0) >= 4096
