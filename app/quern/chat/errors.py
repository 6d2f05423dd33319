"""What can go wrong with conversations."""

from dataclasses import dataclass

from quern.base import QuernError


@dataclass(eq=False)
class ConversationGone(QuernError):
    """The conversation was deleted for good."""

    conversation_id: int

    sentence = "This conversation no longer exists."
    advice = "Choose another one in the list or start a new chat."


@dataclass(eq=False)
class MessageGone(QuernError):
    """The message was deleted."""

    message_id: int

    sentence = "This message no longer exists."
    advice = "Reload the conversation."
