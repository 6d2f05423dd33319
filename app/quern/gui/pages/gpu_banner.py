"""The banner that says that models run on the CPU although there is a GPU, the same on every page that has it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from quern.gui.viewmodels.gpu_watch import GpuWatch
from quern.gui.widgets.banner import Banner, BannerText, Tone

MACHINE_KEY = "machine"


class GpuBanner(QObject):
    """Owns the binding of one banner; `machine_requested` asks for the Machine page."""

    machine_requested = Signal()

    def __init__(self, banner: Banner, watch: GpuWatch) -> None:
        super().__init__(banner)
        self._banner = banner
        self._watch = watch
        watch.changed.connect(self._show)
        banner.dismissed.connect(watch.dismiss)
        banner.acted.connect(self.machine_requested)
        self._show()

    def _show(self) -> None:
        gap = self._watch.told
        if gap is None:
            self._banner.hide()
        else:
            actions = ((MACHINE_KEY, self.tr("What to do…")),)
            self._banner.say(BannerText(Tone.INFO, gap.sentence, gap.advice, actions))
