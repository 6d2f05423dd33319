"""Which sampling parameters a reply is written with: the chat's own, else the person's, the model's and Quern's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quern.chat import Conversation
    from quern.models import ModelEntry
    from quern.settings import Settings
    from quern.spec import SamplingParams


def sampling_of(conversation: Conversation | None, entry: ModelEntry | None, settings: Settings) -> SamplingParams:
    """Return the parameters in use in `conversation` with `entry`."""
    if conversation is not None and conversation.sampling is not None:
        return conversation.sampling
    return settings.sampling(None if entry is None or entry.facts is None else entry.facts.sampling)
