"""Conversations under headings by day: pinned first, then today, yesterday, and further back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from PySide6.QtCore import QCoreApplication, QLocale


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationItem:
    """One conversation as the list shows it. `snippet` is the line around a search match ("" outside a search)."""

    id: int
    title: str
    updated_at: float
    is_pinned: bool = False
    is_running: bool = False
    snippet: str = ""
    message_id: int | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """The name of a group."""

    text: str


ListRow = Heading | ConversationItem


def grouped(items: Iterable[ConversationItem], today: date) -> tuple[ListRow, ...]:
    """Return `items`, newest first as they come, under headings; pinned ones are lifted to the top."""
    everything = tuple(items)
    if not everything:
        return (Heading(_translated("No chats yet")),)
    pinned = [item for item in everything if item.is_pinned]
    rows: list[ListRow] = []
    if pinned:
        rows += [Heading(_translated("Pinned")), *pinned]
    last = ""
    for item in everything:
        if item.is_pinned:
            continue
        name = day_name(datetime.fromtimestamp(item.updated_at).date(), today)
        if name != last:
            rows.append(Heading(name))
            last = name
        rows.append(item)
    return tuple(rows)


def ungrouped(items: Sequence[ConversationItem]) -> tuple[ListRow, ...]:
    """Return search results under one heading that counts them."""
    if not items:
        return (Heading(_translated("Nothing found")),)
    heading = _translated("1 result") if len(items) == 1 else _translated("{0} results").format(len(items))
    return (Heading(heading), *items)


def day_name(day: date, today: date) -> str:
    """Return what people call `day`, seen from `today`."""
    if day >= today:
        return _translated("Today")
    if day == today - timedelta(days=1):
        return _translated("Yesterday")
    if day > today - timedelta(days=7):
        return _translated("Last 7 days")
    if day > today - timedelta(days=30):
        return _translated("Last 30 days")
    month = QLocale().standaloneMonthName(day.month, QLocale.FormatType.LongFormat)
    return f"{month} {day.year}"


def _translated(text: str) -> str:
    return QCoreApplication.translate("ConversationGroup", text)
