"""The largest context is found with few questions, and one step more does not fit."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fit.fake_estimator import FakeEstimator, closed, host_room
from tests.fit.forged import GIB, MIB

from quern.fit.answer.attempt import Attempts
from quern.fit.answer.largest import largest_ctx
from quern.fit.choice import CELL_STEP
from quern.spec import KvType


def find(fake: FakeEstimator, free: int, most: int = 131_072) -> tuple[int | None, Attempts]:
    attempts = Attempts(fake, (host_room(free),))
    return largest_ctx(attempts, closed(), most), attempts


def test_all_of_it_takes_one_question() -> None:
    found, attempts = find(FakeEstimator(), 64 * GIB)
    assert (found, attempts.n_asked) == (131_072, 1)


def test_nothing_fits_where_the_weights_do_not() -> None:
    found, attempts = find(FakeEstimator(), 500 * MIB)
    assert (found, attempts.n_asked) == (None, 2)


def test_needs_in_a_straight_line_take_four_questions() -> None:
    found, attempts = find(FakeEstimator(), 3 * GIB)
    assert found is not None
    assert attempts.n_asked <= 4


def test_a_context_that_is_no_multiple_is_padded_as_the_engine_does() -> None:
    assert find(FakeEstimator(), 64 * GIB, most=1000)[0] == 1024


def test_a_model_trained_on_less_than_a_step_has_one_step() -> None:
    assert find(FakeEstimator(), 64 * GIB, most=5)[0] == 256


def test_settings_that_are_refused_have_no_context() -> None:
    fake = FakeEstimator(refuses=frozenset({KvType.F16}))
    assert find(fake, 64 * GIB)[0] is None


@pytest.mark.parametrize("most", [256, 512, 768, 131_072, 2**31 - 256])
def test_few_questions_even_for_endless_contexts(most: int) -> None:
    _, attempts = find(FakeEstimator(slides=True), 3 * GIB, most)
    assert attempts.n_asked <= 12


@settings(max_examples=200, deadline=None)
@given(
    free=st.integers(0, 12 * GIB),
    cell=st.integers(64, 65_536),
    slides=st.booleans(),
    n_ubatch=st.sampled_from([64, 512]),
    most=st.integers(1, 300_000),
)
def test_the_answer_fits_and_one_step_more_does_not(
    free: int, cell: int, slides: bool, n_ubatch: int, most: int
) -> None:
    attempts = Attempts(FakeEstimator(cell=cell, slides=slides), (host_room(free),))
    asked = closed(n_ubatch_tokens=n_ubatch, swa_full=False)
    found = largest_ctx(attempts, asked, most)
    last = -(-most // CELL_STEP) * CELL_STEP
    assert attempts.n_asked <= 36
    if found is not None:
        assert found <= last
        assert attempts.fits(replace(asked, n_ctx_cells=found))
    if found != last:
        assert not attempts.fits(replace(asked, n_ctx_cells=(found or 0) + CELL_STEP))
