"""Messages and figures as the chat page shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from quern.base.units import format_count, format_duration_s
from quern.gui.widgets.transcript import ShownMessage, ShownState
from quern.spec import FinishReason

if TYPE_CHECKING:
    from quern.chat import Figures, Message


def shown_message(message: Message) -> ShownMessage:
    """Return `message` for the transcript, with one small line about how it ended."""
    return ShownMessage(
        id=message.id,
        role=message.role.value,
        content=message.content,
        reasoning=message.reasoning,
        reasoning_ms=message.reasoning_ms,
        state=ShownState[message.state.name],
        sibling_index=message.sibling_index,
        sibling_count=message.sibling_count,
        note=note_of(message),
        author=message.model_name,
    )


def note_of(message: Message) -> str:
    """Return what is worth saying under a message: how it ended and how fast it came."""
    parts: list[str] = []
    if message.state == "stopped":
        parts.append(_translated("Stopped"))
    elif message.state == "failed":
        parts.append(_translated("The reply could not be finished"))
    figures = message.figures
    if figures is not None and figures.finish_reason is FinishReason.LENGTH:
        parts.append(_translated("Cut off: the token limit was reached"))
    if figures is not None and figures.timings.decode_tokens_per_s > 0:
        parts.append(_translated("{0} tokens/s").format(f"{figures.timings.decode_tokens_per_s:.1f}"))
    return " · ".join(parts)


def figure_facts(figures: Figures | None) -> tuple[tuple[str, str], ...]:
    """Return what the last reply cost, as (name, value)."""
    if figures is None:
        return ()
    usage, timings = figures.usage, figures.timings
    return (
        (_translated("Speed"), _translated("{0} tokens/s").format(f"{timings.decode_tokens_per_s:.1f}")),
        (_translated("First token"), _translated("after {0}").format(format_duration_s(timings.ttft_ms / 1000))),
        (_translated("Prompt"), _translated("{0} tokens").format(format_count(usage.prompt_tokens))),
        (
            _translated("Reused"),
            _translated("{0} of them from the cache").format(format_count(usage.cached_tokens)),
        ),
        (_translated("Read at"), _translated("{0} tokens/s").format(f"{timings.prompt_tokens_per_s:.0f}")),
        (_translated("Reply"), _translated("{0} tokens").format(format_count(usage.completion_tokens))),
    )


def _translated(text: str) -> str:
    return QCoreApplication.translate("ShownMessage", text)
