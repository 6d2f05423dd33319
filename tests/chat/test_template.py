"""The template that a model brings is used; where it brings none, the person is told and can pick."""

import pytest

from quern.chat import BUILT_IN_TEMPLATES, ChatTemplate, NoChatTemplate, choose_template


def test_the_default_template_comes_first() -> None:
    assert choose_template({"tool_use": "t", "default": "d"}) == ChatTemplate("d", "default")


def test_tm_13_a_named_template_is_used_when_there_is_no_default() -> None:
    """TM-13: only tokenizer.chat_template.tool_use."""
    assert choose_template({"rag": "r", "tool_use": "t"}) == ChatTemplate("t", "tool_use")
    assert choose_template({"rag": "r", "default": "  "}) == ChatTemplate("r", "rag")


@pytest.mark.parametrize("templates", [{}, {"default": ""}, {"default": " \n"}])
def test_tm_12_a_model_without_a_template_is_said_with_what_to_pick(templates: dict[str, str]) -> None:
    """TM-12: no template, and no llama-2 markers in silence."""
    with pytest.raises(NoChatTemplate) as caught:
        choose_template(templates)
    assert "chatml, plain" in caught.value.next_step


def test_tm_12_replies_to_built_in_templates_stop() -> None:
    """TM-12: a model that does not know the marks still ends its turn."""
    assert {name: template.stop for name, template in BUILT_IN_TEMPLATES.items()} == {
        "chatml": ("<|im_end|>", "<|im_start|>"),
        "plain": ("\nUser:", "\nAssistant:"),
    }
