"""How soon a moved slider has its answer on the screen: `python -m tests.bench.gui_fit [--model FILE] [--steps N]`.

Moves the context slider of a visible fit panel from stop to stop, as a hand does, a step every 16 ms. For each step it
takes the processor time of the window's thread, how late that thread came to the step, and the time until the answer
for this very step (or a newer one) was painted. Prints one JSON object per subject: a model on two GPUs with advice
whose answers are known beforehand (the window alone), and the given model (the starter model where none is) on this
machine through quern.runtime.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QScrollArea
from tests.gallery.fit_sample import SEVENTY_B, TWO_GPUS
from tests.gui.stand_in import model_entry
from tests.gui.stand_in_fit import StandInFitting, StandInSession, Toy

from quern.base import CancelToken, JobPool
from quern.fit import FitReport
from quern.gui.bridge import Bridge
from quern.gui.dialogs.fit_binding import bind_fit
from quern.gui.theme import Theme, ThemeChoice
from quern.gui.viewmodels.fit import FitPhase, Fitter
from quern.gui.widgets.fit_panel import FitPanel
from quern.gui.widgets.fit_panel.stops import context_stops
from quern.models import ModelEntry, Origin, starter_path
from quern.runtime import Companions, FitMemory, FitSession, Fitting, Trials
from quern.spec import LoadSettings

STEP_MS = 16
TIMEOUT_S = 20.0
GPU_LAYERS = 81
NO_COMPANIONS = Companions()
SWITCH_INTERVAL_S = 0.0005  # as quern.gui.application sets it


@dataclass(frozen=True, slots=True)
class SliderCost:
    """Milliseconds per step of the slider; `frame_ms` is the time in which all of it must be done."""

    subject: str
    n_steps: int
    thread_p50_ms: float
    thread_p95_ms: float
    answer_p50_ms: float
    answer_p95_ms: float
    answer_longest_ms: float
    late_p95_ms: float
    frame_ms: float = 16.7


class KnownSession(StandInSession):
    """Owns the answers that it gave: each question is reckoned once."""

    def __init__(self, entry: ModelEntry, toy: Toy) -> None:
        super().__init__(entry, toy)
        self._known: dict[LoadSettings, FitReport] = {}

    def instant(self, settings: LoadSettings) -> FitReport:
        """Return the report, reckoned the first time."""
        if settings not in self._known:
            self._known[settings] = super().instant(settings)
        return self._known[settings]


class KnownFitting(StandInFitting):
    """Opens one session that knows its answers."""

    def __init__(self, toy: Toy) -> None:
        super().__init__()
        self._session = KnownSession(model_entry(), toy)

    def open(
        self, entry: ModelEntry, companions: Companions = NO_COMPANIONS, cancel: CancelToken | None = None
    ) -> FitSession:
        """Return the session, which has answered for every stop of the slider."""
        del entry, companions, cancel
        for n_ctx_cells in context_stops(self._session.limits.n_ctx_train):
            self._session.instant(LoadSettings(n_ctx_cells=n_ctx_cells, n_gpu_layers=GPU_LAYERS))
        return cast("FitSession", self._session)


class Feed(QObject):
    """Owns the hand: moves the slider, and notes when the answer to each step was painted."""

    def __init__(self, panel: FitPanel, fitter: Fitter, n_steps: int) -> None:
        super().__init__()
        self._panel = panel
        self._fitter = fitter
        self._values = iter(walk(panel.form.context.slider.stops, n_steps))
        self._waiting: list[float] = []
        self._answered: list[float] = []
        self._due = 0.0
        self._thread = 0.0
        self.thread_ms: list[float] = []
        self.answer_ms: list[float] = []
        self.late_ms: list[float] = []
        self._hand = QTimer(self)
        self._hand.setInterval(STEP_MS)
        self._hand.timeout.connect(self._move)
        fitter.answered.connect(self._take)
        panel.devices.bars()[0].installEventFilter(self)

    def start(self) -> None:
        """Begin; the event loop ends with the last answer."""
        self._thread = time.thread_time()
        self._due = time.perf_counter() + STEP_MS / 1000
        self._hand.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A paint of the bar shows what was answered before it."""
        if event.type() == QEvent.Type.Paint and self._answered:
            QTimer.singleShot(0, self, self._painted)
        return super().eventFilter(watched, event)

    def _move(self) -> None:
        self.late_ms.append(max(0.0, time.perf_counter() - self._due) * 1000)
        self._due = time.perf_counter() + STEP_MS / 1000
        self.thread_ms.append((time.thread_time() - self._thread) * 1000)
        self._thread = time.thread_time()
        value = next(self._values, None)
        if value is None:
            self._hand.stop()
            QTimer.singleShot(200, QApplication.exit)
            return
        self._waiting.append(time.perf_counter())
        self._panel.form.context.slider.setValue(value)

    def _take(self) -> None:
        if self._fitter.is_current:
            self._answered, self._waiting = [*self._answered, *self._waiting], []

    def _painted(self) -> None:
        now = time.perf_counter()
        self.answer_ms += [(now - asked) * 1000 for asked in self._answered]
        self._answered = []


def walk(stops: tuple[int, ...], n_steps: int) -> Iterator[int]:
    """Yield `n_steps` neighbouring stops, up and down again."""
    there_and_back = [*stops, *reversed(stops[1:-1])]
    for number in range(1, n_steps + 1):
        yield there_and_back[number % len(there_and_back)]


def measure(subject: str, fitting: Fitting, entry: ModelEntry, settings: LoadSettings, n_steps: int) -> SliderCost:
    """Open a panel on `entry` and move its slider."""
    bridge, jobs = Bridge(), JobPool("bench", 4)
    fitter, panel, area = Fitter(bridge, jobs), FitPanel(), QScrollArea()
    fitter.open(fitting)
    bind_fit(panel, fitter)
    area.setWidgetResizable(True)
    area.setWidget(panel)
    area.resize(760, 720)
    area.show()
    fitter.show(entry, settings)
    end = time.monotonic() + TIMEOUT_S
    while fitter.phase is FitPhase.OPENING or fitter.is_checking:
        QApplication.processEvents()
        assert time.monotonic() < end, "the panel has no answer"
    assert fitter.phase is FitPhase.READY, fitter.failure
    feed = Feed(panel, fitter, n_steps)
    feed.start()
    QApplication.exec()
    area.close()
    fitter.close()
    jobs.close()
    bridge.close()
    assert len(feed.answer_ms) == n_steps
    return SliderCost(
        subject,
        n_steps,
        *rounded(statistics.median(feed.thread_ms), p95(feed.thread_ms)),
        *rounded(statistics.median(feed.answer_ms), p95(feed.answer_ms), max(feed.answer_ms), p95(feed.late_ms)),
    )


def p95(values: list[float]) -> float:
    """Return the value that 95 of 100 do not exceed."""
    return statistics.quantiles(values, n=20)[-1]


def rounded(*values: float) -> Iterator[float]:
    """Yield `values` with two decimals."""
    return (round(value, 2) for value in values)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=None)
    parser.add_argument("--steps", type=int, default=300)
    chosen = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    application = QApplication(sys.argv[:1])
    Theme(application).choose(ThemeChoice.LIGHT, 1.0)
    path = chosen.model or starter_path()
    known = KnownFitting(Toy(model=SEVENTY_B, rooms=TWO_GPUS))
    start = LoadSettings(n_ctx_cells=4096, n_gpu_layers=GPU_LAYERS)
    subjects = [("window alone, two GPUs, advice", known.as_fitting, model_entry(), start)]
    if path is not None:
        size_bytes = path.stat().st_size
        entry = ModelEntry(
            name=path.stem, path=path, shards=(path,), size_bytes=size_bytes, origin=Origin.OPENED, facts=None
        )
        subjects.append((f"{path.name}, real", Fitting(FitMemory(None), Trials(None)), entry, LoadSettings()))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["QUERN_HOME"] = folder
        for subject in subjects:
            print(json.dumps(asdict(measure(*subject, chosen.steps))), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
