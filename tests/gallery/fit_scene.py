"""The fit panel and what belongs to it, as scenes of the gallery."""

from collections.abc import Callable

from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from quern.base import Cancelled
from quern.fit import FitUnknown
from quern.gui.dialogs.load import LoadDialog
from quern.gui.main_window import CHAT, MODELS
from quern.gui.pages.models import ModelsPage
from quern.gui.viewmodels.fit import FitPhase
from quern.hardware import Gap, GapCause
from quern.models import Origin
from quern.runtime import DoesNotFit
from quern.spec import LoadSettings
from tests.gui.stand_in import model_entry
from tests.gui.stand_in_fit import GIB, Toy

from . import fit_sample as sample
from .scene import MODEL_ENTRIES, Scene
from .stage import Stage

Play = Callable[[Stage], QWidget]
EIGHT_B = "Qwen3-8B Q4_K_M"
LONG_NAME = "a-model-with-a-very-long-name-that-somebody-merged-from-three-others-v2.1-final Q6_K"
ENTRIES = (
    model_entry(),
    model_entry(EIGHT_B, size_bytes=5_027_783_488, origin=Origin.OWN_FOLDER),
    model_entry("Gemma-3-27B-it Q4_0", size_bytes=15_600_000_000, origin=Origin.OWN_FOLDER),
    model_entry("Llama-3.3-70B-Instruct Q4_K_M", size_bytes=42_520_000_000, origin=Origin.ADDED),
)
FALLBACK = Gap(
    cause=GapCause.BACKEND_MISSING,
    sentence="NVIDIA GeForce RTX 4070 is not used: this engine build has no CUDA, so models run on the CPU.",
    advice="Driver 560 offers CUDA 12.6; the Machine page shows the command that installs a build for it.",
)


def page(toy: Toy, settings: LoadSettings | None = None, *, is_checked: bool = True) -> Play:
    """The Models page with the second model chosen, which is `toy`, considered with `settings`."""

    def play(stage: Stage) -> QWidget:
        prepare(stage, toy, is_checked=is_checked)
        stage.open()
        shown = stage.window.show_page(MODELS)
        assert isinstance(shown, ModelsPage)
        shown.table.choose(EIGHT_B)
        consider(stage, settings)
        return stage.window

    return play


def dialog(toy: Toy, settings: LoadSettings | None = None, name: str = EIGHT_B, *, is_checked: bool = True) -> Play:
    """The load dialog with `toy`, considered with `settings`."""

    def play(stage: Stage) -> QWidget:
        prepare(stage, toy, name, is_checked=is_checked)
        stage.open()
        shown = LoadDialog(stage.desk, stage.desk.shelf.find(name), stage.window)
        shown.open()
        stage.until(lambda: shown.fitter.phase in (FitPhase.READY, FitPhase.FAILED))
        if settings is not None:
            shown.fitter.change(settings)
        stage.settle()
        stage.settle()
        return shown

    return play


def prepare(stage: Stage, toy: Toy, name: str = EIGHT_B, *, is_checked: bool = True) -> None:
    """Have the stage answer with `toy` for the model `name`, and with others for the others."""
    toy.refused_exact = None if is_checked else Cancelled()
    stage.app.fits.toys = {
        "Gemma-3-27B-it Q4_0": Toy(model=sample.WINDOWED, rooms=toy.rooms),
        "Llama-3.3-70B-Instruct Q4_K_M": Toy(model=sample.SEVENTY_B, rooms=toy.rooms),
        name: toy,
    }
    stage.app.fits.toy = Toy(rooms=toy.rooms)


def consider(stage: Stage, settings: LoadSettings | None) -> None:
    """Wait for the panel, then move its sliders."""
    fitter = stage.desk.fitter
    stage.until(lambda: fitter.phase in (FitPhase.READY, FitPhase.FAILED))
    stage.settle()
    if settings is not None:
        fitter.change(settings)
        stage.settle()
    stage.settle()


def scrolled(play: Play) -> Play:
    """What `play` shows, at the end of what can be scrolled."""

    def play_on(stage: Stage) -> QWidget:
        shown = play(stage)
        for area in shown.findChildren(QScrollArea):
            area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
        return shown

    return play_on


def pointed(play: Play) -> Play:
    """What `play` shows, with the KV cache pointed at by keys."""

    def play_on(stage: Stage) -> QWidget:
        shown = play(stage)
        assert isinstance(shown, LoadDialog)
        bar = shown.panel.devices.bars()[0]
        shown.activateWindow()
        bar.setFocus()
        bar.choose(1)
        return shown

    return play_on


def fallback(index: int) -> Play:
    """A page that says that the GPU is not used."""

    def play(stage: Stage) -> QWidget:
        prepare(stage, Toy(model=sample.EIGHT_B, rooms=(sample.LAPTOP,)))
        stage.open()
        stage.window.show_page(index)
        stage.settle()
        stage.desk.gpu.gap = FALLBACK
        stage.desk.gpu.changed.emit()
        return stage.window

    return play


def refused(stage: Stage) -> QWidget:
    """A load that memory cannot hold: the banner behind the dialog that shows what would help."""
    prepare(stage, Toy(model=sample.SEVENTY_B, rooms=sample.ONE_GPU))
    stage.open()
    entry = stage.desk.shelf.find(EIGHT_B)
    assert entry is not None
    stage.app.residency.error = DoesNotFit(EIGHT_B, "memory", 43 * GIB, 11 * GIB, "Choose a smaller quantization.")
    stage.desk.load(entry, sample.LONG_CONTEXT)
    stage.until(lambda: isinstance(QApplication.activeModalWidget(), LoadDialog))
    stage.settle()
    stage.settle()
    return QApplication.activeModalWidget() or stage.window


CPU_ONLY = Toy(model=sample.EIGHT_B, rooms=(sample.LAPTOP,))
UNKNOWN = Toy(rooms=(sample.LAPTOP,), refused_open=FitUnknown("its header says nothing of llama.attention.head_count"))
FITS = LoadSettings(n_ctx_cells=16_384)
PARTLY = LoadSettings(n_ctx_cells=16_384, n_gpu_layers=14)
LARGE = (1160, 1240)
SCENES = (
    Scene(name="fit-cpu", play=page(CPU_ONLY, FITS), entries=ENTRIES),
    Scene(name="fit-cpu-tall", play=page(CPU_ONLY, FITS), entries=ENTRIES, size=LARGE),
    Scene(name="fit-checking", play=page(CPU_ONLY, FITS, is_checked=False), entries=ENTRIES),
    Scene(name="fit-tight", play=page(CPU_ONLY, LoadSettings(n_ctx_cells=38_912)), entries=ENTRIES, size=LARGE),
    Scene(
        name="fit-too-large",
        play=page(Toy(model=sample.SEVENTY_B, rooms=(sample.LAPTOP,)), FITS),
        entries=ENTRIES,
        size=LARGE,
    ),
    Scene(
        name="fit-partial",
        play=page(Toy(model=sample.EIGHT_B, rooms=sample.SMALL_GPU), LoadSettings(n_ctx_cells=8192, n_gpu_layers=37)),
        entries=ENTRIES,
        size=(1160, 1480),
    ),
    Scene(name="fit-unknown", play=page(UNKNOWN), entries=ENTRIES),
    Scene(name="fit-arabic", play=page(CPU_ONLY, FITS), entries=ENTRIES, is_mirrored=True, size=LARGE),
    Scene(name="fit-large-text", play=page(CPU_ONLY, FITS), entries=ENTRIES, text_scale=1.6, size=LARGE),
    Scene(name="fit-small", play=page(CPU_ONLY, FITS), entries=ENTRIES, size=(720, 480)),
    Scene(name="fit-load", play=pointed(dialog(CPU_ONLY, FITS)), entries=ENTRIES),
    Scene(name="fit-load-gpu", play=dialog(Toy(model=sample.EIGHT_B, rooms=sample.ONE_GPU), PARTLY), entries=ENTRIES),
    Scene(
        name="fit-load-gpus",
        play=dialog(Toy(model=sample.SEVENTY_B, rooms=sample.TWO_GPUS, measured=sample.MEASURED), FITS),
        entries=ENTRIES,
    ),
    Scene(
        name="fit-load-unified",
        play=dialog(Toy(model=sample.HYBRID, rooms=(sample.MAC, sample.MAC_GPU))),
        entries=ENTRIES,
    ),
    Scene(
        name="fit-load-mixture",
        play=dialog(Toy(model=sample.MIXTURE, rooms=sample.ONE_GPU), LoadSettings(n_ctx_cells=8192, n_gpu_layers=49)),
        entries=ENTRIES,
    ),
    Scene(name="fit-load-window", play=dialog(Toy(model=sample.WINDOWED, rooms=(sample.LAPTOP,))), entries=ENTRIES),
    Scene(name="fit-load-companions", play=dialog(Toy(model=sample.SEEING, rooms=sample.ONE_GPU)), entries=ENTRIES),
    Scene(
        name="fit-load-huge",
        play=dialog(Toy(model=sample.COLOSSAL, rooms=sample.MANY_GPUS), LoadSettings(n_ctx_cells=1_048_576)),
        entries=ENTRIES,
    ),
    Scene(
        name="fit-load-measured",
        play=scrolled(dialog(Toy(model=sample.EIGHT_B, rooms=sample.ONE_GPU, measured=sample.MEASURED), PARTLY)),
        entries=ENTRIES,
    ),
    Scene(
        name="fit-load-arabic",
        play=dialog(Toy(model=sample.EIGHT_B, rooms=sample.TWO_GPUS), PARTLY),
        entries=ENTRIES,
        is_mirrored=True,
    ),
    Scene(name="fit-load-large-text", play=dialog(CPU_ONLY, FITS), entries=ENTRIES, text_scale=1.6),
    Scene(
        name="fit-load-long-name",
        play=dialog(Toy(model=sample.EIGHT_B, rooms=(sample.LAPTOP,)), sample.MIXED_KV, LONG_NAME),
        entries=MODEL_ENTRIES,
    ),
    Scene(name="fit-refused", play=refused, entries=ENTRIES),
    Scene(name="fit-fallback-chat", play=fallback(CHAT)),
    Scene(name="fit-fallback-models", play=fallback(MODELS), entries=ENTRIES),
)
