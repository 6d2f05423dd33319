"""The Settings page: generated from the declarations, searchable, with what is wrong with the file on top."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from quern.gui.theme import GRID
from quern.gui.theme.metrics import COLUMN_WIDTH
from quern.gui.viewmodels.desk import Desk
from quern.gui.viewmodels.failure import Failure
from quern.gui.widgets.banner import Banner, BannerText, Tone
from quern.gui.widgets.label import text_label
from quern.gui.widgets.page import Page
from quern.gui.widgets.setting_row import SettingRow
from quern.gui.widgets.shortcut import bind_keys
from quern.settings import SETTINGS, Settings


class SettingsPage(Page):
    """Owns one row per declared setting, under a heading per section."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._preferences = desk.preferences
        self.setProperty("look", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.search = QLineEdit()
        self.search.setProperty("look", "search")
        self.search.setPlaceholderText(self.tr("Search settings"))
        self.search.setAccessibleName(self.tr("Search settings"))
        self.search.setClearButtonEnabled(True)
        self.search.setFixedWidth(32 * GRID)
        self.banner = Banner()
        self.nothing = text_label(self.tr("No setting matches."), "muted")
        self.rows = {setting.key: SettingRow(setting) for setting in SETTINGS}
        self._headings = {setting.section: text_label(self._title(setting.section), "heading") for setting in SETTINGS}
        self._scroll = QScrollArea()
        self._lay_out()
        self._bind()
        self._show_values(self._preferences.current)
        self._show_problems()
        self._filter("")
        self.settle(self.search)

    def show_setting(self, key: str) -> None:
        """Bring the setting `key` into view and put the cursor in it."""
        self.search.clear()
        row = self.rows[key]
        row.editor.control.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(row, 0, 10 * GRID))

    def visible_keys(self) -> tuple[str, ...]:
        """The settings that match the search."""
        return tuple(key for key, row in self.rows.items() if not row.isHidden())

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(text_label(self.tr("Settings"), "title"), 1)
        top.addWidget(self.search)
        content = QWidget()
        content.setMaximumWidth(COLUMN_WIDTH + 6 * GRID)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 3 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addLayout(top)
        layout.addWidget(self.banner)
        layout.addWidget(self.nothing)
        shown = ""
        for row in self.rows.values():
            if row.setting.section != shown:
                shown = row.setting.section
                layout.addSpacing(GRID)
                layout.addWidget(self._headings[shown])
            layout.addWidget(row)
        layout.addStretch(1)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._scroll)

    def _bind(self) -> None:
        self.search.textChanged.connect(self._filter)
        self._preferences.changed.connect(self._show_newer)
        self._preferences.failed.connect(self._say)
        for key, row in self.rows.items():
            row.editor.changed.connect(lambda key=key, row=row: self._preferences.change(key, row.editor.value()))
            row.reset.connect(lambda key=key: self._preferences.reset(key))
        bind_keys(self, self.tr("Search settings"), QKeySequence.StandardKey.Find, self.search.setFocus)

    def _show_values(self, settings: Settings) -> None:
        for key, row in self.rows.items():
            row.show_value(settings.get(key), is_chosen=settings.is_chosen(key))
        if self._desk.is_offline_forced:
            self.rows["network.offline"].show_forced(True, self.tr("Set by QUERN_OFFLINE."))

    def _show_newer(self, _older: Settings, newer: Settings) -> None:
        self._show_values(newer)

    def _show_problems(self) -> None:
        problems = self._preferences.problems()
        if problems:
            what = " ".join(problem.what for problem in problems)
            self.banner.say(BannerText(Tone.WARNING, what, problems[0].next_step))

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for row in self.rows.values():
            row.setVisible(all(word in row.searched_text for word in words))
        for section, heading in self._headings.items():
            heading.setVisible(any(self.rows[key].setting.section == section for key in self.visible_keys()))
        self.nothing.setVisible(not self.visible_keys())

    def _say(self, failure: Failure) -> None:
        self.banner.say(BannerText(Tone.ERROR, failure.what, failure.next_step))

    def _title(self, section: str) -> str:
        titles = {
            "general": self.tr("General"),
            "appearance": self.tr("Appearance"),
            "network": self.tr("Network"),
            "chat": self.tr("Chat"),
            "sampling": self.tr("Sampling of new chats"),
            "load": self.tr("Loading models"),
        }
        return titles.get(section, section.capitalize())
