"""What can go wrong between messages and prompt text; the worker that runs templates raises these by name."""

from dataclasses import dataclass

from quern.base import QuernError


@dataclass(eq=False)
class NoChatTemplate(QuernError):
    """The model file brings no chat template; `built_in` names those that Quern offers."""

    built_in: str

    sentence = "This model brings no chat template, so it was probably not trained to chat."
    advice = "Pick one of the built-in templates ({built_in}) or another model."


@dataclass(eq=False)
class NoMessages(QuernError):
    """There is nothing to answer."""

    sentence = "There is no message to answer."
    advice = "Write a message first."


@dataclass(eq=False)
class TemplateSyntax(QuernError):
    """The template's source cannot be read: a syntax error, an unknown tag or filter."""

    reason: str

    sentence = "The model's chat template cannot be read: {reason}."
    advice = "Pick a built-in template for this model."


@dataclass(eq=False)
class TemplateRefused(QuernError):
    """The template itself refused the conversation, in its own words."""

    reason: str

    sentence = "The model's chat template refused this conversation: {reason}."
    advice = "Change the conversation as it says, or pick a built-in template for this model."


@dataclass(eq=False)
class TemplateBroken(QuernError):
    """The template failed while it was filled in."""

    reason: str

    sentence = "The model's chat template failed: {reason}."
    advice = "Pick a built-in template for this model."


@dataclass(eq=False)
class TemplateUnsafe(QuernError):
    """The template tried something that no chat template needs, such as reaching Python's internals."""

    reason: str

    sentence = "The model's chat template was refused because it tried something unsafe: {reason}."
    advice = "Do not trust this file; get the model from another source or pick a built-in template."


@dataclass(eq=False)
class TemplateTooSlow(QuernError):
    """The template did not end in time."""

    sentence = "The model's chat template did not finish within a second."
    advice = "Pick a built-in template for this model."


@dataclass(eq=False)
class TemplateTooLong(QuernError):
    """The template produced far too much text."""

    limit_chars: int

    sentence = "The model's chat template produced more than {limit_chars:,} characters of text."
    advice = "Shorten the conversation, or pick a built-in template for this model."
