"""What keeps a chat turn from starting."""

from dataclasses import dataclass

from quern.base import QuernError


@dataclass(eq=False)
class MessageEmpty(QuernError):
    """There is no text to send."""

    sentence = "The message is empty."
    advice = "Write something first."


@dataclass(eq=False)
class TurnRunning(QuernError):
    """The conversation is being answered already."""

    conversation_id: int

    sentence = "This conversation is still being answered."
    advice = "Wait for the reply or stop it."


@dataclass(eq=False)
class NotAPrompt(QuernError):
    """Only what a person wrote can be sent again, and only a reply to it written anew."""

    message_id: int

    sentence = "There is nothing to answer at this message."
    advice = "Choose a message of yours, or a reply to one."
