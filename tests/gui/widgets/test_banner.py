"""Banners and toasts say what happened and offer the button that fixes it."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from quern.gui.widgets.banner import Banner, BannerText, Tone
from quern.gui.widgets.status_bar import Status, StatusBar
from quern.gui.widgets.toast import Toast
from tests.gui.ear import Ear


def test_a_banner_tells_which_button_was_pressed(qtbot: QtBot) -> None:
    banner = Banner()
    qtbot.addWidget(banner)
    assert banner.isHidden()
    banner.say(BannerText(Tone.ERROR, "It broke.", "Mend it.", (("retry", "Try again"), ("new", "New chat"))))
    assert not banner.isHidden()
    assert (banner.accessibleName(), banner.accessibleDescription()) == ("It broke.", "Mend it.")
    acted = Ear(banner.acted)
    with qtbot.waitSignal(banner.acted):
        banner.buttons()[1].click()
    assert acted.last == ("new",)
    banner.say(BannerText(Tone.INFO, "Only words."))
    assert banner.buttons() == ()
    with qtbot.waitSignal(banner.dismissed):
        banner.dismiss()
    assert banner.isHidden()


def test_a_toast_can_be_undone(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(600, 400)
    toast = Toast(parent)
    parent.show()
    toast.offer_undo("Chat deleted")
    assert parent.rect().contains(toast.geometry())
    with qtbot.waitSignal(toast.undone):
        toast.undo_button.click()
    assert toast.isHidden()
    toast.say("Added")
    assert toast.undo_button.isHidden()


def test_the_status_bar_is_true_about_everything_it_shows(qtbot: QtBot) -> None:
    bar = StatusBar()
    qtbot.addWidget(bar)
    bar.resize(900, 30)
    bar.show()
    words = [label.text() for label in bar.labels()]
    assert "No model loaded" in words
    bar.show_status(
        Status(
            model="Tiny",
            devices=("CPU",),
            caution="the fastest CPU kernels gave no answer in the trial",
            used_bytes=1 << 30,
            free_bytes=2 << 30,
            tokens_per_s=12.34,
            is_offline=True,
        )
    )
    words = [label.text() for label in bar.labels()]
    assert words == ["Tiny", "CPU", "safe mode", "12.3 tokens/s", "1.0 GiB used · 2.0 GiB free"]
    assert bar.caution.toolTip().startswith(
        "The fastest CPU kernels gave no answer in the trial, so Quern runs without"
    )
    assert bar.shield.accessibleName().startswith("Offline")
