"""The theme follows the choice, scales text, and icons follow it while the window is open."""

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from quern.gui.theme import Theme, ThemeChoice, current_colors, theme_choice
from quern.gui.theme.colors import DARK, LIGHT
from quern.gui.theme.stylesheet import stylesheet
from quern.gui.widgets.icon_button import IconButton


def test_an_open_window_follows_a_change_of_theme(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme(qapp)
    theme.choose(ThemeChoice.LIGHT, 1.0)
    button = IconButton("trash", "Delete")
    qtbot.addWidget(button)
    button.show()
    light = button.icon().pixmap(20).toImage()
    assert current_colors() is LIGHT
    theme.choose(ThemeChoice.DARK, 1.0)
    qtbot.wait(10)
    assert current_colors() is DARK
    assert theme.colors is DARK
    assert button.icon().pixmap(20).toImage() != light
    theme.choose(ThemeChoice.LIGHT, 1.0)
    qtbot.wait(10)
    assert button.icon().pixmap(20).toImage() == light


def test_the_buttons_of_dialogs_have_words_only() -> None:
    """The system's icons have colours of their own, which do not follow the theme."""
    sheet = stylesheet(LIGHT, 10.0)
    assert "QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }" in sheet


def test_text_is_scaled_within_reason(qapp: QApplication) -> None:
    theme = Theme(qapp)
    theme.choose(ThemeChoice.LIGHT, 1.0)
    normal = qapp.font().pointSizeF()
    theme.choose(ThemeChoice.LIGHT, 1.5)
    assert qapp.font().pointSizeF() == normal * 1.5
    theme.choose(ThemeChoice.LIGHT, 100.0)
    assert qapp.font().pointSizeF() == normal * 2
    theme.choose(ThemeChoice.LIGHT, 1.0)
    assert qapp.font().pointSizeF() == normal


def test_an_unknown_choice_follows_the_system() -> None:
    assert theme_choice("purple") is ThemeChoice.SYSTEM
    assert theme_choice("dark") is ThemeChoice.DARK
