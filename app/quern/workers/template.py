"""Runs a model's chat template: untrusted code, in a sandbox, in a process that may be killed at any time."""

import json
from collections.abc import Iterable, Mapping, Sized
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn, cast

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from quern.base import Json, QuernError
from quern.chat import TemplateBroken, TemplateRefused, TemplateSyntax, TemplateTooLong, TemplateUnsafe

# No honest template makes a longer text, or a number of more bits, with one operator or one call.
MAX_TEXT_CHARS = 1 << 22
MAX_NUMBER_BITS = 1 << 12
MAX_REASON_CHARS = 300


class GenerationTag(Extension):
    """Reads `{% generation %}...{% endgeneration %}`, which marks replies for training, as what stands between."""

    tags = {"generation"}  # noqa: RUF012  # jinja2 declares it as a set on the class

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return the nodes between the tags."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class TemplateEnvironment(ImmutableSandboxedEnvironment):
    """What Hugging Face gives a chat template (transformers, utils/chat_template_utils.py: sandbox, loop controls,
    `generation`, `tojson`, `raise_exception`), with bounds on operators and calls that make much out of little.
    """

    intercepted_binops = frozenset(("*", "**", "+"))

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, GenerationTag])
        self.filters["tojson"] = to_json
        del self.globals["lipsum"]

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return `left operator right`. Raises TemplateTooLong or TemplateBroken where that is out of proportion."""
        if operator == "**":
            _require_bits(_bits(left) * _magnitude(right))
        elif operator == "*":
            _require_chars(_length(left) * _magnitude(right), _length(right) * _magnitude(left))
            _require_bits(_bits(left) + _bits(right))
        else:
            _require_chars(_length(left) + _length(right))
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call `obj`. Raises TemplateTooLong for a huge width or count given to a method of a string."""
        if isinstance(getattr(obj, "__self__", None), str):
            _require_chars(*map(_magnitude, (*args, *kwargs.values())))
        return super().call(context, obj, *args, **kwargs)


def answer(question: Json) -> Json:
    """Render `{"template", "messages", "bos_token", "eos_token", "now", "output_chars"}` to `{"text"}`.

    `now` is a time in ISO 8601. A question with "ready" instead only has that source compiled ahead.

    Raises TemplateSyntax, TemplateRefused, TemplateUnsafe, TemplateTooLong, TemplateBroken.
    """
    assert isinstance(question, dict)
    try:
        if "ready" in question:
            _compiled(str(question["ready"]))
            return {"ready": True}
        return {"text": render(question)}
    except QuernError:
        raise
    except jinja2.TemplateSyntaxError as error:
        raise TemplateSyntax(f"{_reason(error)} (line {error.lineno})") from error
    except SecurityError as error:
        raise TemplateUnsafe(_reason(error)) from error
    except MemoryError as error:
        raise TemplateBroken("it needs too much memory") from error
    except RecursionError as error:
        raise TemplateBroken("it is nested too deeply") from error
    except SyntaxError as error:
        # Python's compiler refuses what jinja2 made of the template, such as more than 20 loops inside each other.
        raise TemplateSyntax(_reason(error)) from error
    except Exception as error:
        raise TemplateBroken(_reason(error)) from error


def render(question: Mapping[str, Any]) -> str:
    """Return the filled template. Raises TemplateTooLong as soon as it is longer than `output_chars`."""
    template, limit = _compiled(question["template"]), question["output_chars"]
    now = datetime.fromisoformat(question["now"])
    context = {
        "messages": question["messages"],
        "add_generation_prompt": True,
        "bos_token": question["bos_token"],
        "eos_token": question["eos_token"],
        "raise_exception": refuse,
        "strftime_now": now.strftime,
    }
    try:
        # As transformers does: a chat without tools has `tools`, and it is none.
        return _cut(template.generate(context, tools=None, documents=None), limit)
    except (TypeError, jinja2.UndefinedError) as error:
        try:
            # Templates written for tools loop over `tools` unasked; Firefunction's wants what llama.cpp gives it.
            return _cut(template.generate(context, functions="", datetime=now.strftime("%b %d %Y %H:%M:%S GMT")), limit)
        except (TypeError, jinja2.UndefinedError):
            raise error from None


def _cut(stream: Iterable[str], limit: int) -> str:
    parts: list[str] = []
    room = limit
    for part in stream:
        room -= len(part)
        if room < 0:
            raise TemplateTooLong(limit)
        parts.append(part)
    return "".join(parts)


def to_json(
    value: Any,
    ensure_ascii: bool = False,  # templates call it so
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Return `value` as JSON; unlike jinja2's own filter it does not escape for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def refuse(reason: Any) -> NoReturn:
    """Raise TemplateRefused with the template's own words."""
    raise TemplateRefused(_clipped(str(reason)))


@lru_cache(maxsize=8)
def _compiled(source: str) -> jinja2.Template:
    return TemplateEnvironment().from_string(source)


def _reason(error: Exception) -> str:
    return _clipped(getattr(error, "message", None) or str(error) or type(error).__name__)


def _clipped(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= MAX_REASON_CHARS else f"{line[:MAX_REASON_CHARS]}…"


def _length(value: Any) -> int:
    return len(cast(Sized, value)) if isinstance(value, str | bytes | list | tuple) else 0


def _magnitude(value: Any) -> int:
    return abs(value) if isinstance(value, int) else 0


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def _require_chars(*counts: int) -> None:
    if max(counts, default=0) > MAX_TEXT_CHARS:
        raise TemplateTooLong(MAX_TEXT_CHARS)


def _require_bits(bits: int) -> None:
    if bits > MAX_NUMBER_BITS:
        raise TemplateBroken("it computes with numbers that are far too large")
