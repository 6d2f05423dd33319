"""Messages, conversations and their store, chat templates (messages to prompt text) and reasoning."""

from typing import TYPE_CHECKING

from quern.base.lazy import lazy_exports

if TYPE_CHECKING:
    from .conversation import Conversation as Conversation
    from .conversation import ConversationSummary as ConversationSummary
    from .conversation import DeletedMessages as DeletedMessages
    from .conversation import Exchange as Exchange
    from .conversation import SearchHit as SearchHit
    from .conversation import Trash as Trash
    from .errors import ConversationGone as ConversationGone
    from .errors import MessageGone as MessageGone
    from .incoming import MessageInvalid as MessageInvalid
    from .incoming import read_messages as read_messages
    from .message import ChatMessage as ChatMessage
    from .message import Figures as Figures
    from .message import Message as Message
    from .message import MessageState as MessageState
    from .message import ReplyText as ReplyText
    from .message import Role as Role
    from .reasoning import Delta as Delta
    from .reasoning import DeltaKind as DeltaKind
    from .reasoning import ReasoningSplitter as ReasoningSplitter
    from .reasoning import ReplyOpening as ReplyOpening
    from .reasoning import opening_of as opening_of
    from .renderer import LeadingBos as LeadingBos
    from .renderer import TemplateRenderer as TemplateRenderer
    from .schema import TABLES as TABLES
    from .store import ConversationStore as ConversationStore
    from .template import BUILT_IN_TEMPLATES as BUILT_IN_TEMPLATES
    from .template import ChatTemplate as ChatTemplate
    from .template import choose_template as choose_template
    from .template_error import NoChatTemplate as NoChatTemplate
    from .template_error import NoMessages as NoMessages
    from .template_error import TemplateBroken as TemplateBroken
    from .template_error import TemplateRefused as TemplateRefused
    from .template_error import TemplateSyntax as TemplateSyntax
    from .template_error import TemplateTooLong as TemplateTooLong
    from .template_error import TemplateTooSlow as TemplateTooSlow
    from .template_error import TemplateUnsafe as TemplateUnsafe
    from .title import title_of as title_of

_HOMES = {
    "BUILT_IN_TEMPLATES": "template",
    "TABLES": "schema",
    "ChatMessage": "message",
    "ChatTemplate": "template",
    "Conversation": "conversation",
    "ConversationGone": "errors",
    "ConversationStore": "store",
    "ConversationSummary": "conversation",
    "DeletedMessages": "conversation",
    "Delta": "reasoning",
    "DeltaKind": "reasoning",
    "Exchange": "conversation",
    "Figures": "message",
    "LeadingBos": "renderer",
    "Message": "message",
    "MessageGone": "errors",
    "MessageInvalid": "incoming",
    "MessageState": "message",
    "NoChatTemplate": "template_error",
    "NoMessages": "template_error",
    "ReasoningSplitter": "reasoning",
    "ReplyOpening": "reasoning",
    "ReplyText": "message",
    "Role": "message",
    "SearchHit": "conversation",
    "TemplateBroken": "template_error",
    "TemplateRefused": "template_error",
    "TemplateRenderer": "renderer",
    "TemplateSyntax": "template_error",
    "TemplateTooLong": "template_error",
    "TemplateTooSlow": "template_error",
    "TemplateUnsafe": "template_error",
    "Trash": "conversation",
    "choose_template": "template",
    "opening_of": "reasoning",
    "read_messages": "incoming",
    "title_of": "title",
}

__all__ = [
    "BUILT_IN_TEMPLATES",
    "TABLES",
    "ChatMessage",
    "ChatTemplate",
    "Conversation",
    "ConversationGone",
    "ConversationStore",
    "ConversationSummary",
    "DeletedMessages",
    "Delta",
    "DeltaKind",
    "Exchange",
    "Figures",
    "LeadingBos",
    "Message",
    "MessageGone",
    "MessageInvalid",
    "MessageState",
    "NoChatTemplate",
    "NoMessages",
    "ReasoningSplitter",
    "ReplyOpening",
    "ReplyText",
    "Role",
    "SearchHit",
    "TemplateBroken",
    "TemplateRefused",
    "TemplateRenderer",
    "TemplateSyntax",
    "TemplateTooLong",
    "TemplateTooSlow",
    "TemplateUnsafe",
    "Trash",
    "choose_template",
    "opening_of",
    "read_messages",
    "title_of",
]

__getattr__ = lazy_exports(__name__, _HOMES)
