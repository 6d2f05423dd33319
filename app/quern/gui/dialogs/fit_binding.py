"""Binds a fit panel to its view-model, wherever the panel stands."""

from __future__ import annotations

from PySide6.QtCore import QObject

from quern.fit import Source
from quern.gui.viewmodels.fit import FitPhase, Fitter
from quern.gui.widgets.fit_panel import FitPanel


class FitBinding(QObject):
    """Owns the binding of one panel."""

    def __init__(self, panel: FitPanel, fitter: Fitter) -> None:
        super().__init__(panel)
        self._panel = panel
        self._fitter = fitter
        fitter.changed.connect(self._show)
        fitter.answered.connect(self._show_answer)
        fitter.checked.connect(self._show_answer)
        panel.changed.connect(self._change)
        panel.wished.connect(fitter.choose_best)
        panel.reset.connect(fitter.reset)
        panel.retried.connect(self._retry)
        self._show()

    def _change(self, settings: object) -> None:
        self._fitter.change(settings)  # pyright: ignore[reportArgumentType]  # a signal carries objects

    def _retry(self) -> None:
        self._fitter.retry()

    def _show(self) -> None:
        fitter, panel = self._fitter, self._panel
        if fitter.phase is FitPhase.OPENING or fitter.phase is FitPhase.EMPTY:
            panel.say_opening()
        elif fitter.failure is not None and fitter.phase is FitPhase.FAILED:
            panel.show_problem(fitter.failure.what, fitter.failure.next_step)
        elif fitter.session is not None:
            panel.show_limits(fitter.session.limits, fitter.companion_names)
            panel.show_measured(fitter.measured)
            self._show_answer()

    def _show_answer(self) -> None:
        fitter, panel = self._fitter, self._panel
        report, settings = fitter.report, fitter.settings
        if report is None or settings is None or fitter.phase is not FitPhase.READY:
            return
        if fitter.failure is not None:
            panel.refuse(fitter.failure.what, fitter.failure.next_step)
            return
        panel.show_report(report, self._source())
        if fitter.is_current:
            panel.show_settings(settings, report.settings, is_changed=fitter.is_changed)

    def _source(self) -> str:
        fitter = self._fitter
        if fitter.report is not None and fitter.report.source is Source.EXACT:
            return self.tr("Measured by llama.cpp, without loading it.")
        if fitter.is_checking:
            return self.tr("Estimated; asking llama.cpp…")
        if fitter.doubt is not None:
            return self.tr("Estimated; llama.cpp could not confirm it. {0}").format(fitter.doubt.what)
        return self.tr("Estimated from the model's header.")


def bind_fit(panel: FitPanel, fitter: Fitter) -> FitBinding:
    """Have `panel` show what `fitter` knows, and `fitter` hear what a person does in it."""
    return FitBinding(panel, fitter)
