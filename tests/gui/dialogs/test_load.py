"""The load dialog loads the chosen model with what its panel shows, and shows why a load was refused."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from quern.fit import Goal
from quern.gui.dialogs.load import LoadDialog
from quern.gui.viewmodels.fit import FitPhase
from quern.runtime import DoesNotFit
from quern.spec import LoadSettings
from tests.gui.conftest import Place
from tests.gui.stand_in import model_entry
from tests.gui.stand_in_fit import GIB, Toy, ToyModel
from tests.gui.widgets.fit_panel.sample import EIGHT_B, LAPTOP


def open_two(place: Place) -> None:
    place.app.library.entries = [model_entry(), model_entry("eight")]
    place.app.fits.toys["eight"] = Toy(model=EIGHT_B, rooms=(LAPTOP,))
    place.open()


def dialog_of(place: Place) -> LoadDialog:
    place.qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), LoadDialog))
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, LoadDialog)
    place.qtbot.waitUntil(lambda: dialog.fitter.phase is FitPhase.READY)
    return dialog


def choose(place: Place, dialog: LoadDialog, name: str) -> None:
    dialog.models.setCurrentIndex(dialog.models.findData(name))
    place.qtbot.waitUntil(lambda: dialog.fitter.entry == dialog.entry and dialog.fitter.phase is FitPhase.READY)


def test_the_picker_and_a_key_open_it_with_the_loaded_model(window: Place) -> None:
    open_two(window)
    window.shown.chat.column.picker.settings_requested.emit()
    dialog = dialog_of(window)
    assert dialog.entry == model_entry()
    dialog.close()
    window.qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
    window.shown.activateWindow()
    composer = window.shown.chat.column.composer.edit
    composer.setFocus()
    window.qtbot.waitUntil(composer.hasFocus)
    control = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(composer, Qt.Key.Key_M, control)
    dialog_of(window).close()


def test_the_chosen_settings_belong_to_this_load(window: Place) -> None:
    open_two(window)
    window.shown.chat.open_load_dialog()
    dialog = dialog_of(window)
    choose(window, dialog, "eight")
    dialog.panel.form.context.box.setValue(16_384)
    window.qtbot.waitUntil(lambda: dialog.fitter.is_current)
    dialog.load_button.click()
    window.qtbot.waitUntil(lambda: window.app.residency.loaded[-1][0] == "eight")
    assert window.app.residency.loaded[-1][1].n_ctx_cells == 16_384
    assert window.app.residency.terms[-1].wish is None
    window.qtbot.waitUntil(lambda: not window.desk.shelf.is_loading)
    entry = window.desk.shelf.entries[0]
    window.desk.load(entry)
    assert window.app.residency.loaded[-1] == (entry.name, window.desk.preferences.current.load)


def test_untouched_it_loads_as_the_settings_say(window: Place) -> None:
    open_two(window)
    window.desk.preferences.change("load.fit_goal", Goal.LONGEST_CONTEXT.value)
    window.qtbot.waitUntil(lambda: window.desk.preferences.current.load_wish is not None)
    window.shown.chat.open_load_dialog()
    dialog = dialog_of(window)
    choose(window, dialog, "eight")
    dialog.load_button.click()
    window.qtbot.waitUntil(lambda: window.app.residency.loaded[-1][0] == "eight")
    wish = window.app.residency.terms[-1].wish
    assert wish is not None
    assert wish.goal is Goal.LONGEST_CONTEXT


def test_what_does_not_fit_is_loaded_only_all_the_same(window: Place) -> None:
    open_two(window)
    window.shown.chat.open_load_dialog()
    dialog = dialog_of(window)
    choose(window, dialog, "eight")
    assert dialog.load_button.text() == "Load"
    dialog.panel.form.context.box.setValue(131_072)
    window.qtbot.waitUntil(lambda: dialog.load_button.text() == "Load all the same")
    dialog.load_button.click()
    window.qtbot.waitUntil(lambda: window.app.residency.loaded[-1][0] == "eight")
    assert window.app.residency.terms[-1].tries_too_large


def test_a_load_that_was_refused_shows_what_would_help(window: Place) -> None:
    open_two(window)
    entry = window.desk.shelf.find("eight")
    assert entry is not None
    window.app.residency.error = DoesNotFit("eight", "memory", 43 * GIB, 11 * GIB, "Choose another.")
    asked = LoadSettings(n_ctx_cells=131_072)
    window.desk.load(entry, asked)
    dialog = dialog_of(window)
    assert dialog.entry == entry
    assert dialog.fitter.settings == asked
    assert dialog.panel.advice.rows()
    banner = window.shown.chat.column.banner
    assert "eight does not fit" in banner.accessibleName()
    dialog.close()
    window.qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
    banner.buttons()[0].click()
    assert dialog_of(window).entry == entry


def test_the_first_model_of_a_start_that_does_not_fit_opens_nothing(window: Place) -> None:
    window.app.residency.error = DoesNotFit("eight", "memory", 43 * GIB, 11 * GIB, "Choose another.")
    window.open()
    banner = window.shown.chat.column.banner
    window.qtbot.waitUntil(banner.isVisible)
    assert [button.text() for button in banner.buttons()] == ["See what would help…", "Models"]
    assert QApplication.activeModalWidget() is None


def test_cancelled_it_changes_nothing(window: Place) -> None:
    open_two(window)
    n_loads = len(window.app.residency.loaded)
    window.shown.chat.open_load_dialog()
    dialog = dialog_of(window)
    window.app.fits.toys["eight"].model = ToyModel()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    window.qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
    assert len(window.app.residency.loaded) == n_loads
