"""Which chat template a conversation is written with: the model's own, or one of Quern's."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .template_error import NoChatTemplate


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A chat template's jinja source, the name it is shown by, and strings that must end a reply written with it."""

    source: str
    name: str = "default"
    stop: tuple[str, ...] = ()


_CHATML = """\
{%- for message in messages -%}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}
<|im_start|>assistant
{% endif -%}
"""

_PLAIN = """\
{%- for message in messages -%}
{%- if message.role != 'system' -%}{{ message.role | capitalize }}: {% endif -%}
{{ message.content + '\\n\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}Assistant:{%- endif -%}
"""

BUILT_IN_TEMPLATES: Mapping[str, ChatTemplate] = MappingProxyType(
    {
        "chatml": ChatTemplate(_CHATML, "chatml", ("<|im_end|>", "<|im_start|>")),
        "plain": ChatTemplate(_PLAIN, "plain", ("\nUser:", "\nAssistant:")),
    }
)
"""Templates to pick from for a model that brings none, by name."""


def choose_template(chat_templates: Mapping[str, str]) -> ChatTemplate:
    """Return the model's own template: "default" where there is one, else the first by name with "tool_use" preferred.

    `chat_templates` are the file's `tokenizer.chat_template` ("default") and `tokenizer.chat_template.NAME` keys.
    Raises NoChatTemplate when all are missing or blank.
    """
    usable = {name: source for name, source in chat_templates.items() if source.strip()}
    for name in ("default", "tool_use", *sorted(usable)):
        if name in usable:
            return ChatTemplate(usable[name], name)
    raise NoChatTemplate(", ".join(BUILT_IN_TEMPLATES))
