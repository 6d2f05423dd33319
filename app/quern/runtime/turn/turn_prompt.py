"""From a conversation to the tokens of its next prompt, and whether they fit."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from quern.base import QuernError
from quern.chat import ChatMessage, ChatTemplate, LeadingBos, Message, Role, TemplateRenderer
from quern.engine import CompletionRequest, EngineFacts, EventSource
from quern.spec import TextPiece


class ChatEngine(Protocol):
    """What a turn needs of quern.engine.Engine, so that tests can stand in for it."""

    @property
    def facts(self) -> EngineFacts:
        """What is true of the loaded model."""
        ...

    def tokenize(self, pieces: Sequence[TextPiece]) -> list[int]:
        """Token ids of the joined pieces, BOS included where the model wants one."""
        ...

    def submit(self, request: CompletionRequest) -> EventSource:
        """Queue a completion and return its events at once."""
        ...


@dataclass(eq=False)
class ContextOverflow(QuernError):
    """The prompt leaves no room for a reply."""

    n_prompt_tokens: int
    limit_tokens: int

    sentence = "This conversation is {n_prompt_tokens:,} tokens long, and the model has room for {limit_tokens:,}."
    advice = "Start a new chat, shorten the message, or load the model with a larger context."


@dataclass(frozen=True, slots=True)
class PreparedTurn:
    """A prompt as text pieces and as token ids (BOS included); prompt and reply may have `limit_tokens` together."""

    pieces: tuple[TextPiece, ...]
    tokens: tuple[int, ...]
    n_prompt_tokens: int
    limit_tokens: int


def chat_messages(system_prompt: str, history: Sequence[Message]) -> tuple[ChatMessage, ...]:
    """Return what the template sees: the system prompt, then each message without its reasoning.

    Replies that hold no text (failed or stopped before their first word) are left out.
    """
    system = [ChatMessage(Role.SYSTEM.value, system_prompt)] if system_prompt.strip() else []
    said = [message for message in history if message.content or message.role is not Role.ASSISTANT]
    return (*system, *(ChatMessage(message.role.value, message.content) for message in said))


def prepare_messages(
    engine: ChatEngine, template: ChatTemplate, renderer: TemplateRenderer, messages: Sequence[ChatMessage]
) -> PreparedTurn:
    """Return the prompt that answers `messages`, whether or not it fits. Raises what TemplateRenderer.render raises."""
    facts = engine.facts
    pieces = renderer.render(
        template,
        messages,
        control_texts=facts.control_texts,
        bos_text=facts.bos_text,
        eos_text=facts.eos_text,
        now=datetime.now().astimezone(),
        leading_bos=LeadingBos.STRIPPED if facts.adds_bos else LeadingBos.KEPT,
    )
    tokens = tuple(engine.tokenize(pieces))
    return PreparedTurn(pieces, tokens, len(tokens), facts.request_limit_tokens)


def require_room(prepared: PreparedTurn) -> PreparedTurn:
    """Return `prepared`. Raises ContextOverflow when no token of a reply would fit after it."""
    if prepared.n_prompt_tokens >= prepared.limit_tokens:
        raise ContextOverflow(prepared.n_prompt_tokens, prepared.limit_tokens)
    return prepared


def prepare_turn(
    engine: ChatEngine,
    template: ChatTemplate,
    renderer: TemplateRenderer,
    system_prompt: str,
    history: Sequence[Message],
) -> PreparedTurn:
    """Return the prompt that answers the last message of `history`.

    Raises ContextOverflow, and what TemplateRenderer.render raises.
    """
    return require_room(prepare_messages(engine, template, renderer, chat_messages(system_prompt, history)))


def count_tokens(
    engine: ChatEngine,
    template: ChatTemplate,
    renderer: TemplateRenderer,
    system_prompt: str,
    history: Sequence[Message],
    draft: str,
) -> int:
    """Return how many tokens the prompt would have if `draft` were sent now ("" counts the conversation as it is).

    Raises what TemplateRenderer.render raises; a conversation without any text counts 0.
    """
    said = chat_messages(system_prompt, history)
    if draft:
        said = (*said, ChatMessage(Role.USER.value, draft))
    if not said:
        return 0
    return prepare_messages(engine, template, renderer, said).n_prompt_tokens
