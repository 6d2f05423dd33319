"""The middle of the chat page: model picker, banners, transcript or what stands in its place, composer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.theme.metrics import COLUMN_WIDTH
from quern.gui.widgets.banner import Banner
from quern.gui.widgets.composer import Composer
from quern.gui.widgets.empty_state import EmptyState
from quern.gui.widgets.find_bar import FindBar
from quern.gui.widgets.icon_button import IconButton
from quern.gui.widgets.model_picker import ModelPicker

from .starter import starter_button, starter_progress

if TYPE_CHECKING:
    from quern.gui.widgets.transcript import ShownMessage, TranscriptView


class ChatColumn(QWidget):
    """Owns the widgets and where they stand; the chat page binds them. `built` when the transcript was."""

    built = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.list_button = IconButton("panel-left", self.tr("Show or hide the conversations"))
        self.picker = ModelPicker()
        self.options_button = IconButton("panel-right", self.tr("Show or hide the options of this chat"))
        self.options_button.setCheckable(True)
        self.banner = Banner()
        self.gpu_banner = Banner()
        self.save_banner = Banner()
        self.crash_banner = Banner()
        self.recovery_banner = Banner()
        self.find_bar = FindBar()
        self._transcript: TranscriptView | None = None
        self._bind_transcript: Callable[[TranscriptView], None] | None = None
        self.greeting = EmptyState(
            "quern",
            self.tr("What would you like to talk about?"),
            self.tr("Everything stays on this computer."),
        )
        self.download_button = starter_button()
        self.add_button = QPushButton(self.tr("Add a model file…"))
        self.download_progress = starter_progress()
        self.no_model = self._no_model()
        self.stack = QStackedWidget()
        for page in (self.greeting, self.no_model):
            self.stack.addWidget(page)
        self.composer = Composer()
        self._lay_out()

    def banners(self) -> tuple[Banner, ...]:
        """The banners, top to bottom. All but the last two stay until a person dismisses them."""
        return (self.crash_banner, self.recovery_banner, self.gpu_banner, self.save_banner, self.banner)

    @property
    def transcript(self) -> TranscriptView:
        """The transcript, built when it is first needed: an empty window does not wait for it."""
        if self._transcript is None:
            from quern.gui.widgets.transcript import TranscriptView

            self._transcript = TranscriptView()
            # Tab, on its way past a widget with a focus proxy, would go to the proxy at once (Qt 6.11).
            self._transcript.setFocusProxy(None)  # pyright: ignore[reportArgumentType]
            self.stack.addWidget(self._transcript)
            if self._bind_transcript is not None:
                self._bind_transcript(self._transcript)
            self.built.emit()
        return self._transcript

    def when_built(self, bind: Callable[[TranscriptView], None]) -> None:
        """Have `bind` called with the transcript as soon as it is there."""
        self._bind_transcript = bind

    def show_messages(self, messages: Sequence[ShownMessage]) -> None:
        """Show a chat, or the greeting where nothing was said yet."""
        if messages or self._transcript is not None:
            self.transcript.show_messages(messages)

    def show_talk(self, *, has_messages: bool) -> None:
        """Show the transcript, or the greeting in its place."""
        self.stack.setCurrentWidget(self.transcript if has_messages else self.greeting)

    def show_download(self, *, is_running: bool) -> None:
        """Show the way to a model, or how far the download is."""
        self.download_button.setVisible(not is_running)
        self.add_button.setVisible(not is_running)
        self.download_progress.setVisible(is_running)

    def _no_model(self) -> EmptyState:
        page = EmptyState(
            "model",
            self.tr("Quern needs a model to chat"),
            self.tr(
                "Add a .gguf file that is already on this computer, or download SmolLM2 135M, a small one to start "
                "with. Nothing is downloaded unless you ask."
            ),
        )
        page.show_buttons([self.download_button, self.add_button])
        page.add_below(self.download_progress)
        self.show_download(is_running=False)
        return page

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(GRID, GRID, GRID, GRID // 2)
        top.setSpacing(GRID // 2)
        top.addWidget(self.list_button)
        top.addWidget(self.picker, 1)
        top.addWidget(self.options_button)
        banners = QVBoxLayout()
        banners.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        banners.setSpacing(GRID)
        for banner in self.banners():
            banners.addWidget(banner)
        self.composer.setMaximumWidth(COLUMN_WIDTH)
        self.composer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        bottom = QHBoxLayout()
        bottom.setContentsMargins(2 * GRID, 0, 2 * GRID, 2 * GRID)
        bottom.addStretch(1)
        bottom.addWidget(self.composer, 1000)
        bottom.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addLayout(top)
        layout.addWidget(self.find_bar)
        layout.addLayout(banners)
        layout.addWidget(self.stack, 1)
        layout.addLayout(bottom)
