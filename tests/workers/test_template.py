"""The worker gives a template what Hugging Face gives it, and answers bad ones by name."""

import pytest

from quern.base import Json, QuernError
from quern.chat import TemplateBroken, TemplateRefused, TemplateSyntax, TemplateTooLong, TemplateUnsafe
from quern.workers.template import answer


def ask(source: str, content: str = "hi", output_chars: int = 1000) -> str:
    question: Json = {
        "template": source,
        "messages": [{"role": "user", "content": content}],
        "bos_token": "<s>",
        "eos_token": "</s>",
        "now": "2026-12-01T09:30:00+02:00",
        "output_chars": output_chars,
    }
    reply = answer(question)
    assert isinstance(reply, dict)
    return str(reply["text"])


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ bos_token }}{{ messages[0]['content'] }}{{ eos_token }}", "<s>hi</s>"),
        ("{% if add_generation_prompt %}A{% endif %}", "A"),
        ("{% if tools is none and documents is none %}no tools{% endif %}", "no tools"),
        ("{{ {'a': 'é<', 'b': [1, none]} | tojson }}", '{"a": "é<", "b": [1, null]}'),
        ("{{ {'b': 1, 'a': 2} | tojson(indent=2, sort_keys=true) }}", '{\n  "a": 2,\n  "b": 1\n}'),
        ("{{ [1, 2] | tojson(separators=(',', ':'), ensure_ascii=true) }}", "[1,2]"),
        ("{{ strftime_now('%d %B %Y %H:%M') }}", "01 December 2026 09:30"),
        ("{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}", "01"),
        ("a{% generation %}b{{ 1 }}{% endgeneration %}c", "ab1c"),
        ("  {% if true %}\nx\n  {% endif %}\ny", "x\ny"),
        ("{{ enable_thinking is defined }}", "False"),
        ("{{ messages[0].content.split('i')[0] + messages[0].get('name', '-') }}", "h-"),
        ("{% set n = namespace(x=2) %}{% set n.x = n.x * 3 %}{{ n.x }}{{ 'ab' * 2 }}{{ 2 ** 5 }}", "6abab32"),
        ("{% macro f(x) %}[{{ x }}]{% endmacro %}{{ f(1) }}{{ 'x'.center(3) }}", "[1] x "),
    ],
)
def test_a_template_has_what_it_expects(source: str, text: str) -> None:
    assert ask(source) == text


def test_templates_that_loop_over_tools_unasked_see_none() -> None:
    assert ask("{% for tool in tools %}{{ tool }}{% endfor %}ok") == "ok"
    assert ask("{{ functions + datetime }}") == "Dec 01 2026 09:30:00 GMT"


@pytest.mark.parametrize(
    ("source", "error", "reason"),
    [
        ("{% if %}", TemplateSyntax, "Expected an expression, got 'end of statement block' (line 1)"),
        ("\n{{ 1 | nope }}", TemplateSyntax, "No filter named 'nope' (line 2)"),
        ("{% for a in [1] %}" * 30 + "{% endfor %}" * 30, TemplateSyntax, "too many statically nested blocks"),
        ("{{ raise_exception('No. Way.') }}", TemplateRefused, "No. Way"),
        ("{{ raise_exception('x' * 1000) }}", TemplateRefused, "x" * 300 + "…"),
        ("{{ ''.__class__.__mro__ }}", TemplateUnsafe, "access to attribute '__class__' of 'str' object is unsafe"),
        ("{{ messages[0].nothing.more }}", TemplateBroken, "no attribute 'nothing'"),
        ("{{ 1 + 'a' }}", TemplateBroken, "unsupported operand"),
        ("{{ lipsum() }}", TemplateBroken, "'lipsum' is undefined"),
        ("{% include 'other' %}", TemplateBroken, "no loader"),
        ("{{ 3 ** 99999 }}", TemplateBroken, "numbers that are far too large"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", TemplateBroken, "nested too deeply"),
    ],
)
def test_a_bad_template_is_answered_by_name(source: str, error: type[QuernError], reason: str) -> None:
    with pytest.raises(error) as caught:
        ask(source)
    assert reason in str(caught.value.values()["reason"])


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(1000) %}{{ 'xx' }}{% endfor %}",
        "{{ 'x' * 5000000 }}",
        "{{ [1] * 5000000 }}",
        "{{ 'x'.zfill(5000000) }}",
        "{{ messages[0].content * 3000000 }}",
    ],
)
def test_output_ends_at_its_limit(source: str) -> None:
    with pytest.raises(TemplateTooLong):
        ask(source)
    assert ask("{{ 'x' * 1000 }}") == "x" * 1000


def test_a_template_can_be_read_ahead() -> None:
    assert answer({"ready": "{{ 1 }}"}) == {"ready": True}
    with pytest.raises(TemplateSyntax):
        answer({"ready": "{% nope %}"})
