"""Everything can be read in the smallest window, with large text, and after the text size was changed."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPushButton, QWidget

from quern.gui.main_window import CHAT, MODELS, SETTINGS, SMALLEST_SIZE
from quern.gui.pages.models import ModelsPage
from quern.gui.pages.settings import SettingsPage
from quern.gui.theme import Theme, ThemeChoice
from quern.gui.viewmodels.fit import FitPhase
from quern.gui.widgets.empty_state import EmptyState
from quern.gui.widgets.model_rows import NAME
from tests.gui.conftest import Place
from tests.gui.stand_in import model_entry


@pytest.fixture
def scale(window: Place, qapp: QApplication) -> Iterator[Callable[[float], None]]:
    """Changes the text size, and brings it back."""
    theme = Theme(qapp)

    def choose(factor: float) -> None:
        theme.choose(ThemeChoice.LIGHT, factor)
        window.qtbot.wait(50)

    yield choose
    theme.choose(ThemeChoice.LIGHT, 1.0)


def cut(page: QWidget) -> list[str]:
    """Return the words on `page` that are not shown whole."""
    found: list[str] = []
    for widget in page.findChildren(QWidget):
        if not isinstance(widget, QLabel | QPushButton) or not widget.isVisible() or not widget.text():
            continue
        left = widget.mapTo(page, QPoint(0, 0)).x()
        needed = widget.heightForWidth(widget.width()) if isinstance(widget, QLabel) and widget.wordWrap() else 0
        is_narrow = isinstance(widget, QPushButton) and widget.width() < widget.sizeHint().width()
        if left < 0 or left + widget.width() > page.width() or widget.height() < needed or is_narrow:
            found.append(widget.text())
    return found


def heights(state: EmptyState) -> tuple[int, int, int]:
    return (state.title.height(), state.sentence.height(), state.sentence.y() - state.title.y())


def test_the_empty_pages_fit_the_smallest_window(window: Place) -> None:
    window.open()
    window.shown.resize(SMALLEST_SIZE)
    column = window.shown.chat.column
    window.qtbot.wait(20)
    assert column.greeting.title.height() > 1.5 * column.greeting.title.fontMetrics().lineSpacing()
    assert cut(column.greeting) == []
    window.app.library.entries = []
    window.desk.shelf.refresh()
    window.qtbot.waitUntil(lambda: column.stack.currentWidget() is column.no_model)
    window.qtbot.wait(20)
    assert cut(column.no_model) == []
    page = window.shown.show_page(MODELS)
    window.qtbot.wait(20)
    assert cut(page) == []


def test_with_large_text_side_panes_make_way(window: Place, scale: Callable[[float], None]) -> None:
    window.open()
    scale(1.6)
    window.shown.resize(SMALLEST_SIZE)
    window.qtbot.wait(50)
    assert window.shown.minimumWidth() > SMALLEST_SIZE.width()
    chat = window.shown.chat
    assert chat.list.isHidden()
    assert cut(chat.column.greeting) == []
    chat.column.list_button.click()
    window.qtbot.waitUntil(chat.list.isVisible)
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    window.qtbot.wait(50)
    assert page.detail.geometry().right() <= page.width()
    window.qtbot.waitUntil(lambda: window.desk.fitter.phase is FitPhase.READY)
    window.qtbot.waitUntil(lambda: cut(page) == [])


def test_after_the_text_size_was_changed_everything_is_as_if_it_had_always_been_so(
    window: Place, scale: Callable[[float], None]
) -> None:
    window.app.library.entries.append(model_entry("Qwen3-4B-Instruct-2507-Q4_K_M"))
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    window.qtbot.wait(50)
    header, greeting = page.table.horizontalHeader(), window.shown.chat.column.greeting
    before = [page.table.columnWidth(column) for column in range(header.count())], page.table.rowHeight(0)
    window.shown.show_page(CHAT)
    window.qtbot.wait(50)
    spacing = heights(greeting)
    scale(1.4)
    window.shown.show_page(MODELS)
    window.qtbot.wait(50)
    scale(1.0)
    assert ([page.table.columnWidth(column) for column in range(header.count())], page.table.rowHeight(0)) == before
    window.shown.show_page(CHAT)
    window.qtbot.wait(50)
    assert heights(greeting) == spacing


def test_a_window_that_was_narrow_leaves_the_name_its_room(window: Place) -> None:
    window.open()
    page = window.shown.show_page(MODELS)
    assert isinstance(page, ModelsPage)
    wide = window.shown.size()
    window.qtbot.wait(50)
    before = page.table.columnWidth(NAME)
    window.shown.resize(SMALLEST_SIZE)
    window.qtbot.wait(50)
    window.shown.resize(wide)
    window.qtbot.wait(50)
    assert page.table.columnWidth(NAME) == before


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_list_of_choices_shows_them_all(window: Place, scale: Callable[[float], None]) -> None:
    window.open()
    page = window.shown.show_page(SETTINGS)
    assert isinstance(page, SettingsPage)
    box = page.rows["appearance.theme"].editor.control
    assert isinstance(box, QComboBox)
    for factor in (1.0, 1.6):
        scale(factor)
        box.showPopup()
        view = box.view()
        window.qtbot.wait(50)
        last = view.visualRect(box.model().index(box.count() - 1, 0))
        assert last.bottom() < view.viewport().height()
        assert view.verticalScrollBar().maximum() == 0
        box.hidePopup()
