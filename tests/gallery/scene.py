"""The scenes of the gallery: each brings the window into one state and returns what is to be rendered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from quern.base import Progress
from quern.chat import ConversationStore
from quern.gguf import GgufTruncated
from quern.gui.main_window import MACHINE, MODELS, SETTINGS
from quern.gui.viewmodels.failure import Failure, Fix
from quern.gui.widgets.transcript import FindDirection
from quern.models import ModelEntry, Origin
from quern.runtime import DoctorReport
from tests.gui.stand_in import model_entry

from .machine_sample import CRASHED, REPORT, SEVERAL_GPUS, UNUSED_GPU
from .sample import MARKDOWN_REPLY, add_chat, arabic_chats, few_chats, long_chats, no_chats
from .stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One state: which chats and models there are, and what happens then."""

    name: str
    play: Callable[[Stage], QWidget]
    fill: Callable[[ConversationStore], None] = few_chats
    entries: Sequence[ModelEntry] | None = None
    size: tuple[int, int] = (1160, 760)
    text_scale: float = 1.0
    is_mirrored: bool = False


MODEL_ENTRIES = (
    model_entry(),
    model_entry("Qwen3-8B Q4_K_M", size_bytes=5_027_783_488, origin=Origin.OWN_FOLDER),
    model_entry(
        "a-model-with-a-very-long-name-that-somebody-merged-from-three-others-v2.1-final Q6_K",
        origin=Origin.ADDED,
        size_bytes=12_345_678_901,
    ),
    model_entry(
        "half-a-download.gguf",
        origin=Origin.OWN_FOLDER,
        facts=None,
        size_bytes=700_000_000,
        problem=GgufTruncated(Path("/home/ada/models/half-a-download.gguf"), 4_900_000_000, 700_000_000),
    ),
)


def opened(stage: Stage) -> QWidget:
    stage.open()
    return stage.window


def loading(stage: Stage) -> QWidget:
    stage.app.residency.hold.clear()
    stage.open()
    stage.window.chat.column.composer.edit.setPlainText("Typing works while the model loads")
    return stage.window


def streaming(stage: Stage) -> QWidget:
    stage.app.script.pieces = tuple(word + " " for word in MARKDOWN_REPLY.split(" "))
    stage.open()
    stage.window.chat.new_chat()
    stage.settle()
    stage.app.script.pause_after = 60
    stage.say("What is a quern, and how was one used?")
    stage.until(lambda: stage.desk.chat.is_running)
    stage.settle()
    return stage.window


def reading(stage: Stage) -> QWidget:
    stage.app.script.go_on.clear()
    stage.app.script.n_reading = 3
    stage.open()
    stage.say("Summarise everything that we talked about so far, please.")
    stage.until(lambda: stage.desk.chat.is_running)
    return stage.window


def with_options(stage: Stage) -> QWidget:
    stage.open()
    stage.window.chat.column.options_button.setChecked(True)
    return stage.window


def overflowing(stage: Stage) -> QWidget:
    stage.open()
    stage.window.chat.column.composer.edit.setPlainText("word " * 4200)
    stage.settle()
    return stage.window


def failed(stage: Stage) -> QWidget:
    stage.open()
    stage.desk.outbox.failed.emit(
        Failure(
            "This conversation is 5,120 tokens long, and the model has room for 4,096.",
            "Start a new chat, shorten the message, or load the model with a larger context.",
            (Fix.NEW_CHAT, Fix.LARGER_CONTEXT),
        )
    )
    return stage.window


def searching(stage: Stage) -> QWidget:
    stage.open()
    stage.window.chat.list.search.setText("stone")
    stage.window.chat.list.search.setFocus()
    stage.settle()
    return stage.window


def editing(stage: Stage) -> QWidget:
    stage.open()
    stage.window.chat.column.transcript.edit_requested.emit(stage.desk.chat.messages[0].id)
    stage.window.activateWindow()
    return stage.window


def deleted(stage: Stage) -> QWidget:
    stage.open()
    stage.desk.conversations.delete(stage.desk.conversations.summaries[-1].id)
    stage.until(lambda: not stage.window.toast.isHidden())
    return stage.window


def finding(stage: Stage) -> QWidget:
    stage.open()
    bar = stage.window.chat.column.find_bar
    bar.open_bar()
    bar.field.setText("stone")
    bar.find_requested.emit("stone", FindDirection.FORWARD)
    return stage.window


def downloading(stage: Stage) -> QWidget:
    stage.open()
    stage.window.chat.column.show_download(is_running=True)
    stage.desk.download._job = object()  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]  # no network here
    stage.desk.download._progress(Progress(41_000_000, 102_039_968, "downloading"))  # pyright: ignore[reportPrivateUsage]
    stage.desk.download._job = None  # pyright: ignore[reportPrivateUsage]
    return stage.window


def models_page(stage: Stage) -> QWidget:
    stage.open()
    stage.window.show_page(MODELS)
    return stage.window


def models_problem(stage: Stage) -> QWidget:
    stage.open()
    page = stage.window.show_page(MODELS)
    page.table.choose("half-a-download.gguf")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    return stage.window


def machine_page(stage: Stage, report: DoctorReport = REPORT) -> QWidget:
    stage.desk.doctor.report = report
    stage.open()
    stage.window.show_page(MACHINE)
    return stage.window


def settings_page(stage: Stage) -> QWidget:
    stage.open()
    stage.window.show_page(SETTINGS)
    return stage.window


def settings_search(stage: Stage) -> QWidget:
    stage.open()
    page = stage.window.show_page(SETTINGS)
    page.search.setText("penalty")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    return stage.window


def settings_problem(stage: Stage) -> QWidget:
    stage.app.home.settings.write_text("[appearance]\nthem = 3\ntext_scale = 9\n")
    stage.app.settings.load()
    return settings_page(stage)


def link(stage: Stage) -> QWidget:
    stage.open()
    address = "https://exampIe.org/a/long/path?with=a&query=" + "x" * 80
    stage.window.chat.column.transcript.link_activated.emit(address)
    return QApplication.activeModalWidget() or stage.window


def template(stage: Stage) -> QWidget:
    page = models_page(stage)
    stage.window.show_page(MODELS).detail.template_button.click()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    return QApplication.activeModalWidget() or page


def one_chat(store: ConversationStore) -> None:
    add_chat(store, "What is a quern, and how was one used?", MARKDOWN_REPLY)


SCENES = (
    Scene(name="chat-first-launch", play=loading, fill=no_chats),
    Scene(name="chat-empty", play=opened, fill=no_chats),
    Scene(name="chat", play=opened),
    Scene(name="chat-streaming", play=streaming),
    Scene(name="chat-reading", play=reading),
    Scene(name="chat-options", play=with_options, size=(1320, 860)),
    Scene(name="chat-overflow", play=overflowing),
    Scene(name="chat-error", play=failed),
    Scene(name="chat-search", play=searching),
    Scene(name="chat-find", play=finding),
    Scene(name="chat-edit", play=editing),
    Scene(name="chat-deleted", play=deleted),
    Scene(name="chat-no-model", play=opened, fill=no_chats, entries=()),
    Scene(name="chat-download", play=downloading, fill=no_chats, entries=()),
    Scene(name="chat-long", play=opened, fill=long_chats),
    Scene(name="chat-arabic", play=opened, fill=arabic_chats, is_mirrored=True),
    Scene(name="chat-small", play=opened, size=(720, 480)),
    Scene(name="chat-large-text", play=with_options, text_scale=1.6, fill=one_chat),
    Scene(name="models", play=models_page, entries=MODEL_ENTRIES),
    Scene(name="models-problem", play=models_problem, entries=MODEL_ENTRIES),
    Scene(name="models-none", play=models_page, entries=()),
    Scene(name="machine", play=machine_page),
    Scene(name="machine-gpus", play=partial(machine_page, report=SEVERAL_GPUS), size=(1160, 1180)),
    Scene(name="machine-gap", play=partial(machine_page, report=UNUSED_GPU), size=(1160, 1000)),
    Scene(name="machine-crash", play=partial(machine_page, report=CRASHED)),
    Scene(name="machine-small", play=partial(machine_page, report=UNUSED_GPU), size=(720, 480)),
    Scene(name="machine-arabic", play=partial(machine_page, report=UNUSED_GPU), size=(1160, 1000), is_mirrored=True),
    Scene(name="settings", play=settings_page, size=(1160, 1000)),
    Scene(name="settings-search", play=settings_search),
    Scene(name="settings-problem", play=settings_problem),
    Scene(name="settings-arabic", play=settings_page, is_mirrored=True),
    Scene(name="dialog-link", play=link),
    Scene(name="dialog-template", play=template),
)
