"""The formulas say exactly what the engine said, where it was asked, and follow it in between."""

import pytest
from tests.runtime.scripted_fit import GIB, ScriptedEstimator

from quern.fit import FitUnknown, Source
from quern.runtime.fit.anchored import Anchored
from quern.spec import LoadSettings


def at(n_ctx_cells: int) -> LoadSettings:
    return LoadSettings(n_ctx_cells=n_ctx_cells)


def test_where_the_engine_was_asked_its_answer_is_given() -> None:
    exact = ScriptedEstimator(source=Source.EXACT, weights=3 * GIB)
    anchored = Anchored(ScriptedEstimator(), exact)
    anchored.anchor(at(256))
    assert anchored.source is Source.EXACT
    assert anchored.knows(at(256))
    assert not anchored.knows(at(512))
    assert anchored.needs(at(256)) == exact.needs(at(256))


def test_elsewhere_the_formulas_are_moved_by_their_error() -> None:
    exact = ScriptedEstimator(source=Source.EXACT, weights=3 * GIB)
    anchored = Anchored(ScriptedEstimator(weights=GIB), exact)
    anchored.anchor(at(256))
    assert anchored.needs(at(1024)) == exact.needs(at(1024))
    assert exact.asked == [at(256), at(1024)]  # the second question was this test's own


@pytest.mark.parametrize("n_ctx_cells", [512, 2048, 8192])
def test_an_error_that_grows_with_the_context_is_followed_after_two_questions(n_ctx_cells: int) -> None:
    exact = ScriptedEstimator(source=Source.EXACT, kv_per_cell=5000)
    anchored = Anchored(ScriptedEstimator(kv_per_cell=4000), exact)
    for n in (256, 4096):
        anchored.anchor(at(n))
    assert anchored.needs(at(n_ctx_cells)) == exact.needs(at(n_ctx_cells))


def test_nothing_becomes_less_than_nothing() -> None:
    anchored = Anchored(ScriptedEstimator(weights=GIB), ScriptedEstimator(source=Source.EXACT, weights=0))
    anchored.anchor(at(256))
    without_card = anchored.needs(at(512))
    assert without_card[0].needs.weights == 0


def test_a_refusal_goes_through() -> None:
    anchored = Anchored(ScriptedEstimator(), ScriptedEstimator(failure=FitUnknown("no")))
    with pytest.raises(FitUnknown):
        anchored.anchor(at(256))
    assert not anchored.knows(at(256))
