"""A fitter answers at once by formula, then by llama.cpp itself, and never about what is not considered any more."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quern.fit import FitUnknown, Goal, SettingsRefused, Source, Verdict, Wish
from quern.gui.viewmodels.fit import FitPhase, Fitter
from quern.models import ModelEntry
from quern.runtime import Companions
from quern.spec import KvType, LoadSettings
from tests.gui.conftest import Place
from tests.gui.ear import Ear
from tests.gui.stand_in import model_entry
from tests.gui.stand_in_fit import Toy, measured_load
from tests.gui.widgets.fit_panel.sample import CARD, EIGHT_B, LAPTOP

START = LoadSettings()


@pytest.fixture
def toy(place: Place) -> Toy:
    place.app.fits.toy = Toy(model=EIGHT_B, rooms=(LAPTOP,))
    return place.app.fits.toy


@pytest.fixture
def fitter(place: Place, toy: Toy) -> Iterator[Fitter]:
    del toy
    made = Fitter(place.desk.bridge, place.app.jobs)
    made.open(place.app.fitting)
    yield made
    place.app.fits.toy.exact_may_go.set()
    made.close()


def show(place: Place, fitter: Fitter, settings: LoadSettings = START, wish: Wish | None = None) -> ModelEntry:
    entry = model_entry()
    fitter.show(entry, settings, wish)
    assert fitter.phase is FitPhase.OPENING
    place.qtbot.waitUntil(lambda: fitter.phase is not FitPhase.OPENING)
    return entry


def test_it_begins_with_an_estimate_and_asks_llama_cpp_when_nothing_moves(place: Place, fitter: Fitter) -> None:
    show(place, fitter)
    assert fitter.report is not None
    assert fitter.report.source is Source.INSTANT
    assert fitter.report.verdict is Verdict.FITS
    assert fitter.is_checking
    place.qtbot.waitUntil(lambda: fitter.report is not None and fitter.report.source is Source.EXACT)
    assert not fitter.is_checking
    assert not fitter.is_changed


def test_a_change_is_answered_and_cancels_the_measurement(place: Place, fitter: Fitter, toy: Toy) -> None:
    toy.exact_may_go.clear()
    show(place, fitter)
    place.qtbot.waitUntil(lambda: len(toy.asked_exact) == 1)
    wanted = LoadSettings(n_ctx_cells=16_384)
    fitter.change(wanted)
    place.qtbot.waitUntil(lambda: fitter.is_current and toy.n_cancelled == 1)
    assert fitter.report is not None
    assert (fitter.report.n_ctx_cells, fitter.report.source) == (16_384, Source.INSTANT)
    assert fitter.is_changed
    toy.exact_may_go.set()
    place.qtbot.waitUntil(lambda: fitter.report is not None and fitter.report.source is Source.EXACT)
    assert toy.asked_exact[-1] == wanted


def test_of_many_moves_the_last_one_counts(place: Place, fitter: Fitter, toy: Toy) -> None:
    show(place, fitter)
    place.qtbot.waitUntil(lambda: len(toy.asked_exact) == 1)
    for n_cells in range(256, 25_600, 256):
        fitter.change(LoadSettings(n_ctx_cells=n_cells))
    place.qtbot.waitUntil(lambda: fitter.is_current)
    assert fitter.report is not None
    assert fitter.report.n_ctx_cells == 25_344
    place.qtbot.waitUntil(lambda: fitter.report is not None and fitter.report.source is Source.EXACT)
    assert len(toy.asked_exact) == 2


def test_a_measurement_that_fails_leaves_the_estimate_with_a_doubt(place: Place, fitter: Fitter, toy: Toy) -> None:
    toy.refused_exact = FitUnknown("llama.cpp says nothing")
    show(place, fitter)
    place.qtbot.waitUntil(lambda: fitter.doubt is not None)
    assert fitter.phase is FitPhase.READY
    assert fitter.report is not None
    assert fitter.report.source is Source.INSTANT
    assert fitter.doubt is not None
    assert "llama.cpp says nothing" in fitter.doubt.what


def test_a_header_that_says_too_little_is_a_sentence(place: Place, fitter: Fitter, toy: Toy) -> None:
    toy.refused_open = FitUnknown("its header has no layers")
    show(place, fitter)
    assert fitter.phase is FitPhase.FAILED
    assert fitter.failure is not None
    assert "no layers" in fitter.failure.what
    toy.refused_open = None
    show(place, fitter)
    assert fitter.phase is FitPhase.READY
    assert fitter.failure is None


def test_settings_that_are_refused_leave_others_to_choose(place: Place, fitter: Fitter, toy: Toy) -> None:
    def refuse(settings: LoadSettings) -> SettingsRefused | None:
        return SettingsRefused("q4_0 does not divide 72") if settings.type_k is KvType.Q4_0 else None

    toy.refuse = refuse
    show(place, fitter)
    fitter.change(LoadSettings(type_k=KvType.Q4_0))
    place.qtbot.waitUntil(lambda: fitter.failure is not None)
    assert fitter.phase is FitPhase.READY
    fitter.change(LoadSettings(type_k=KvType.Q8_0, type_v=KvType.Q8_0))
    place.qtbot.waitUntil(lambda: fitter.failure is None and fitter.is_current)


def test_the_best_settings_are_considered_and_taken_back(place: Place, fitter: Fitter) -> None:
    show(place, fitter)
    fitter.choose_best(Wish(goal=Goal.LONGEST_CONTEXT, allows_quantized_kv=True))
    place.qtbot.waitUntil(lambda: fitter.is_changed and fitter.is_current)
    assert fitter.settings is not None
    assert fitter.settings.type_k is KvType.Q8_0
    assert fitter.report is not None
    assert fitter.report.largest_ctx_cells == fitter.settings.n_ctx_cells
    fitter.reset()
    place.qtbot.waitUntil(lambda: not fitter.is_changed and fitter.is_current)


def test_it_begins_as_a_load_would(place: Place, fitter: Fitter, toy: Toy) -> None:
    show(place, fitter, wish=Wish(goal=Goal.LONGEST_CONTEXT))
    assert fitter.report is not None
    assert fitter.report.n_ctx_cells == fitter.report.largest_ctx_cells
    toy.rooms = (LAPTOP, CARD)
    toy.model = EIGHT_B
    show(place, fitter, LoadSettings(n_ctx_cells=65_536))
    assert fitter.settings is not None
    assert fitter.report is not None
    assert 0 < (fitter.settings.n_gpu_layers or 0) < 37
    assert fitter.report.verdict is Verdict.FITS
    assert not fitter.is_changed


def test_another_model_takes_the_place_of_one_that_is_still_read(place: Place, fitter: Fitter) -> None:
    names = [f"model {number}" for number in range(5)]
    for name in names:
        fitter.show(model_entry(name), START)
    place.qtbot.waitUntil(lambda: fitter.phase is FitPhase.READY)
    assert fitter.session is not None
    assert fitter.session.entry.name == names[-1]
    fitter.show(None)
    assert (fitter.phase, fitter.report, fitter.session) == (FitPhase.EMPTY, None, None)


def test_what_is_considered_outlives_a_change_of_memory(place: Place, fitter: Fitter, toy: Toy) -> None:
    show(place, fitter)
    wanted = LoadSettings(n_ctx_cells=16_384)
    fitter.change(wanted)
    place.qtbot.waitUntil(lambda: fitter.is_current)
    toy.measured = (measured_load([], []),)
    changed = Ear(fitter.changed)
    fitter.renew()
    place.qtbot.waitUntil(lambda: bool(fitter.measured))
    assert (fitter.settings, fitter.is_changed, fitter.phase) == (wanted, True, FitPhase.READY)
    assert len(changed.heard) == 1
    loaded = LoadSettings(n_ctx_cells=512)
    fitter.renew(loaded)
    place.qtbot.waitUntil(lambda: fitter.settings == loaded)
    assert not fitter.is_changed


def test_nothing_is_asked_without_a_library(place: Place, toy: Toy) -> None:
    fitter = Fitter(place.desk.bridge, place.app.jobs)
    fitter.show(model_entry(), START)
    assert fitter.phase is FitPhase.EMPTY
    fitter.change(LoadSettings(n_ctx_cells=512))
    fitter.choose_best(Wish())
    fitter.reset()
    fitter.renew()
    assert toy.opened == []
    fitter.close()


def test_companions_are_opened_and_named(place: Place, fitter: Fitter, toy: Toy) -> None:
    with_it = Companions(projector=Path("/models/mmproj-f16.gguf"), adapters=(Path("/models/tone.gguf"),))
    fitter.show(model_entry(), START, companions=with_it)
    place.qtbot.waitUntil(lambda: fitter.phase is FitPhase.READY)
    assert fitter.companion_names == ("mmproj-f16.gguf", "tone.gguf")
    assert toy.companions[-1] == with_it
    show(place, fitter)
    assert fitter.companion_names == ()


def test_a_hand_that_moves_on_does_not_wait_for_the_best_settings(place: Place, fitter: Fitter) -> None:
    show(place, fitter)
    fitter.choose_best(Wish(goal=Goal.LONGEST_CONTEXT))
    wanted = LoadSettings(n_ctx_cells=512)
    fitter.change(wanted)
    place.qtbot.waitUntil(lambda: fitter.report is not None and fitter.report.source is Source.EXACT)
    assert fitter.settings == wanted
