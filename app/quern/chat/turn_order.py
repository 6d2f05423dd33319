"""What a conversation looks like to a template, and the milder shapes to try when it refuses that."""

from collections.abc import Iterator, Sequence

from .message import ChatMessage, Role
from .template_error import NoMessages

Messages = tuple[ChatMessage, ...]


def checked(messages: Sequence[ChatMessage]) -> Messages:
    """Return `messages` with "developer" as system. Raises NoMessages when there are none."""
    if not messages:
        raise NoMessages
    return tuple(
        ChatMessage(Role.SYSTEM.value, message.content) if message.role == "developer" else message
        for message in messages
    )


def shapes(messages: Messages) -> Iterator[Messages]:
    """Yield `messages` as they are, then the shapes that say the same under stricter rules, each once.

    Templates may refuse two turns of one role in a row (they are joined by a blank line), or a system message (its
    text then opens the first user turn), or both.
    """
    folded = fold_system(messages)
    seen: set[Messages] = set()
    for shape in (messages, join_neighbours(messages), folded, join_neighbours(folded)):
        if shape not in seen:
            seen.add(shape)
            yield shape


def fold_system(messages: Messages) -> Messages:
    """Return `messages` with every system text moved to the beginning of the first user turn, made if there is none."""
    system = [message.content for message in messages if message.role == Role.SYSTEM]
    if not system:
        return messages
    others = [message for message in messages if message.role != Role.SYSTEM]
    at = next((index for index, message in enumerate(others) if message.role == Role.USER), None)
    if at is None:
        return (ChatMessage(Role.USER.value, "\n\n".join(system)), *others)
    others[at] = ChatMessage(Role.USER.value, "\n\n".join([*system, others[at].content]))
    return tuple(others)


def join_neighbours(messages: Messages) -> Messages:
    """Return `messages` with runs of one role joined to one turn (tool results stay apart)."""
    joined: list[ChatMessage] = []
    for message in messages:
        if joined and joined[-1].role == message.role != Role.TOOL:
            joined[-1] = ChatMessage(message.role, f"{joined[-1].content}\n\n{message.content}")
        else:
            joined.append(message)
    return tuple(joined)


def lost_system(messages: Messages, rendered: str) -> bool:
    """Whether the template left a system message out: no line of its text is in `rendered`."""
    return any(message.role == Role.SYSTEM and not _shows(message.content, rendered) for message in messages)


def _shows(content: str, rendered: str) -> bool:
    lines = [line.strip() for line in content.split("\n") if line.strip()]
    return not lines or any(line in rendered for line in lines)
