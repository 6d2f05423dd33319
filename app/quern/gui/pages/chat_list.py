"""Binds the conversation list to the desk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from quern.gui.viewmodels.desk import Desk
from quern.gui.widgets.conversation_group import ConversationItem
from quern.gui.widgets.conversation_list import ConversationList

if TYPE_CHECKING:
    from quern.chat import ConversationSummary, SearchHit


def bind_list(view: ConversationList, desk: Desk) -> None:
    """Show the desk's conversations in `view`, and do what a person asks there."""
    conversations, chat, feed = desk.conversations, desk.chat, desk.feed

    def item_of(summary: ConversationSummary) -> ConversationItem:
        return ConversationItem(
            id=summary.id,
            title=summary.title or view.tr("New chat"),
            updated_at=summary.updated_at,
            is_pinned=summary.pinned,
            is_running=summary.id in feed.running_ids,
        )

    def item_of_hit(hit: SearchHit) -> ConversationItem:
        return ConversationItem(
            id=hit.conversation_id,
            title=hit.title or view.tr("New chat"),
            updated_at=0.0,
            snippet=hit.snippet if hit.message_id is not None else "",
            message_id=hit.message_id,
        )

    def refresh() -> None:
        if conversations.is_searching:
            return  # what is shown stays until the search has answered
        if conversations.query:
            view.show_hits([item_of_hit(hit) for hit in _one_per_chat(conversations.hits)], chat.id)
        else:
            view.show_conversations([item_of(summary) for summary in conversations.summaries], chat.id)

    def choose() -> None:
        view.choose(chat.id)

    conversations.changed.connect(refresh)
    chat.opened.connect(choose)
    chat.adopted.connect(conversations.refresh)
    view.opened.connect(chat.show)
    view.searched.connect(conversations.search)
    view.renamed.connect(conversations.rename)
    view.pin_toggled.connect(conversations.toggle_pin)
    view.deleted.connect(conversations.delete)


def _one_per_chat(hits: Iterable[SearchHit]) -> tuple[SearchHit, ...]:
    """Return the best hit of each chat, in order: one in a message leads to its place, one in the title does not."""
    best: dict[int, SearchHit] = {}
    for hit in hits:
        known = best.get(hit.conversation_id)
        if known is None or (known.message_id is None and hit.message_id is not None):
            best[hit.conversation_id] = hit
    return tuple(best.values())
