"""The Models page says of every model whether it fits, and loads the chosen one as its panel has it."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from quern.fit import FitUnknown
from quern.gui.main_window import CHAT, MACHINE, MODELS
from quern.gui.pages.models import ModelsPage
from quern.gui.viewmodels.fit import FitPhase
from quern.gui.widgets.model_rows import FIT
from quern.hardware import Gap, GapCause
from quern.models import Origin
from quern.runtime import GpuRequired
from quern.spec import ExtraBuffers, LoadSettings
from tests.gui.conftest import Place
from tests.gui.stand_in import model_entry
from tests.gui.stand_in_fit import GIB, Toy, ToyModel, measured_load
from tests.gui.widgets.fit_panel.sample import EIGHT_B, LAPTOP

GAP = Gap(cause=GapCause.BACKEND_MISSING, sentence="RTX 4070 is not used.", advice="Install another build.")


def show(place: Place) -> ModelsPage:
    place.app.library.entries = [model_entry(), model_entry("eight"), model_entry("large"), model_entry("strange")]
    place.app.fits.toys = {
        "eight": Toy(model=EIGHT_B, rooms=(LAPTOP,)),
        "large": Toy(model=ToyModel(weights=40 * GIB), rooms=(LAPTOP,)),
        "strange": Toy(refused_open=FitUnknown("its header lies")),
    }
    place.open()
    page = place.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    return page


def choose(place: Place, page: ModelsPage, name: str) -> None:
    page.table.choose(name)
    fitter = place.desk.fitter
    place.qtbot.waitUntil(
        lambda: fitter.entry is not None and fitter.entry.name == name and fitter.phase is not FitPhase.OPENING
    )


def words(page: ModelsPage) -> dict[str, str]:
    return {row.name: row.fit for row in page.table.rows_model.rows}


def test_the_table_says_how_each_model_fits(window: Place) -> None:
    page = show(window)
    wanted = {model_entry().name: "Fits", "eight": "Fits", "large": "Too large", "strange": ""}
    window.qtbot.waitUntil(lambda: words(page) == wanted)
    rows = {row.name: row for row in page.table.rows_model.rows}
    assert rows["large"].fit_sentence.startswith("At a context of 4,096: Too large")
    page.table.sortByColumn(FIT, Qt.SortOrder.DescendingOrder)
    assert page.table.model().index(0, 0).data() == "strange"


def test_a_context_that_is_too_long_says_how_much_fits(window: Place) -> None:
    page = show(window)
    window.desk.preferences.change("load.n_ctx_cells", 65_536)
    window.qtbot.waitUntil(lambda: words(page)["eight"].startswith("Up to 33,"))


def test_the_panel_shows_the_chosen_model(window: Place) -> None:
    page = show(window)
    choose(window, page, "eight")
    panel = page.detail.fit
    assert panel.verdict.sentence.text().startswith("Fits. Largest context")
    window.qtbot.waitUntil(lambda: panel.verdict.source.text().startswith("Measured by llama.cpp"))
    choose(window, page, "strange")
    assert "its header lies" in panel.verdict.sentence.text()
    window.app.fits.toys["strange"] = Toy()
    panel.retry_button.click()
    window.qtbot.waitUntil(lambda: panel.verdict.sentence.text().startswith("Fits"))


def test_a_file_that_is_no_model_has_no_panel(window: Place) -> None:
    page = show(window)
    window.app.library.entries.append(model_entry("broken", facts=None, problem=FitUnknown("x"), origin=Origin.ADDED))
    window.desk.shelf.refresh()
    window.qtbot.waitUntil(lambda: window.desk.shelf.find("broken") is not None)
    page.table.choose("broken")
    assert not page.detail.fit_group.isVisible()
    choose(window, page, "eight")
    assert page.detail.fit_group.isVisible()


def test_load_and_chat_takes_the_panels_settings(window: Place) -> None:
    page = show(window)
    choose(window, page, "eight")
    page.detail.fit.form.context.box.setValue(12_288)
    window.qtbot.waitUntil(lambda: window.desk.fitter.is_current and window.desk.fitter.is_changed)
    page.detail.load_button.click()
    window.qtbot.waitUntil(lambda: window.app.residency.loaded[-1][0] == "eight")
    assert window.app.residency.loaded[-1][1].n_ctx_cells == 12_288
    assert window.shown.stack.currentWidget() is window.shown.chat


def test_the_loaded_model_can_be_loaded_again_otherwise(window: Place) -> None:
    page = show(window)
    choose(window, page, model_entry().name)
    assert page.detail.load_button.text() == "Loaded: go to the chat"
    n_loads = len(window.app.residency.loaded)
    page.detail.fit.form.context.box.setValue(1024)
    window.qtbot.waitUntil(lambda: page.detail.load_button.text() == "Load again with these settings")
    page.detail.load_button.click()
    window.qtbot.waitUntil(lambda: len(window.app.residency.loaded) == n_loads + 1)
    assert window.app.residency.loaded[-1][1].n_ctx_cells == 1024


def test_kernels_that_a_trial_ruled_out_are_not_taken_for_the_persons_wish(window: Place) -> None:
    page = show(window)
    choose(window, page, "eight")
    without = replace(LoadSettings(), n_ctx_cells=12_288, extra_buffers=ExtraBuffers.AVOIDED)
    window.desk.fitter.change(without)
    window.qtbot.waitUntil(lambda: window.desk.fitter.is_current and window.desk.fitter.is_changed)
    page.detail.load_button.click()
    window.qtbot.waitUntil(lambda: window.app.residency.loaded[-1][1].n_ctx_cells == 12_288)
    assert window.app.residency.loaded[-1][1].extra_buffers is ExtraBuffers.ALLOWED


def test_what_is_considered_survives_a_new_list_and_a_load_elsewhere(window: Place) -> None:
    page = show(window)
    choose(window, page, "eight")
    page.detail.fit.form.context.box.setValue(12_288)
    window.qtbot.waitUntil(lambda: window.desk.fitter.is_current)
    window.desk.shelf.refresh()
    window.desk.shelf.unload()
    window.qtbot.wait(150)
    assert page.detail.fit.form.context.value == 12_288
    assert window.desk.fitter.is_changed


def test_a_measured_load_is_shown_when_the_page_is_seen_again(window: Place) -> None:
    page = show(window)
    choose(window, page, "eight")
    assert page.detail.fit.measured.isHidden()
    window.shown.show_page(CHAT)
    window.app.fits.toys["eight"].measured = (measured_load([], []),)
    entry = window.desk.shelf.find("eight")
    assert entry is not None
    window.desk.load(entry)
    window.qtbot.waitUntil(lambda: not window.desk.shelf.is_loading)
    window.shown.show_page(MODELS)
    window.qtbot.waitUntil(lambda: not page.detail.fit.measured.isHidden())


def test_a_hidden_page_asks_nothing(window: Place) -> None:
    page = show(window)
    choose(window, page, "eight")
    window.shown.show_page(CHAT)
    window.qtbot.wait(50)
    before = len(window.app.fits.toys["eight"].opened), len(window.app.fits.toy.opened)
    window.desk.shelf.unload()
    window.qtbot.wait(100)
    assert (len(window.app.fits.toys["eight"].opened), len(window.app.fits.toy.opened)) == before
    assert page.isHidden()


def test_the_folds_open_and_close_by_key(window: Place) -> None:
    page = show(window)
    choose(window, page, "eight")
    heading = page.detail.fit_group.heading
    heading.setFocus()
    QTest.keyClick(heading, Qt.Key.Key_Space)
    assert not page.detail.fit.isVisible()
    QTest.keyClick(heading, Qt.Key.Key_Space)
    assert page.detail.fit.isVisible()


@pytest.mark.parametrize("index", [CHAT, MODELS])
def test_an_unused_gpu_is_told_where_models_are_used(window: Place, index: int) -> None:
    show(window)
    page = window.shown.show_page(index)
    banner = page.gpu_banner if isinstance(page, ModelsPage) else window.shown.chat.column.gpu_banner
    assert not banner.isVisible()
    window.desk.gpu.gap = GAP
    window.desk.gpu.changed.emit()
    assert banner.isVisible()
    assert (banner.accessibleName(), banner.accessibleDescription()) == (GAP.sentence, GAP.advice)
    banner.buttons()[0].click()
    assert window.shown.stack.currentWidget() is window.shown.page(MACHINE)
    window.shown.show_page(index)
    banner.dismiss()
    assert window.desk.gpu.told is None
    assert not window.shown.chat.column.gpu_banner.isVisible()


def test_a_load_that_needs_a_gpu_leads_to_the_machine_page(window: Place) -> None:
    window.app.residency.error = GpuRequired("This engine build has no CUDA.")
    window.open()
    banner = window.shown.chat.column.banner
    window.qtbot.waitUntil(banner.isVisible)
    assert "has no CUDA" in banner.accessibleName()
    banner.buttons()[0].click()
    assert window.shown.stack.currentWidget() is window.shown.page(MACHINE)
