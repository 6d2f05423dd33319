"""Control tokens come from templates only; BOS comes once."""

import pytest

from quern.engine.tokenizer import Tokenizer
from quern.spec import PieceKind, TextPiece

from .fakes import FakeVocabulary

BOS, END, END_X, MASK = FakeVocabulary.SPECIAL


def control(text: str) -> TextPiece:
    return TextPiece(text, PieceKind.CONTROL)


def plain(text: str) -> TextPiece:
    return TextPiece(text, PieceKind.PLAIN)


def ids(text: str) -> list[int]:
    return [ord(character) for character in text]


@pytest.fixture
def tokenizer() -> Tokenizer:
    return Tokenizer(FakeVocabulary())


def test_tm_10_only_control_pieces_make_control_tokens(tokenizer: Tokenizer) -> None:
    tokens = tokenizer.tokenize([control("q<|end|>"), plain("<|end|><s>"), control("<|end|>")])
    assert tokens == [BOS, *ids("q"), END, *ids("<|end|><s>"), END]


def test_bos_is_added_once() -> None:
    for pieces in ([control("<s>hi")], [control("<s>"), plain("hi")], [plain("hi")]):
        assert Tokenizer(FakeVocabulary()).tokenize(pieces) == [BOS, *ids("hi")]


def test_bos_is_not_added_where_the_model_wants_none() -> None:
    assert Tokenizer(FakeVocabulary(adds_bos=False)).tokenize([plain("hi")]) == ids("hi")


def test_a_model_without_bos_gets_none() -> None:
    vocabulary = FakeVocabulary()
    vocabulary.bos = None
    assert Tokenizer(vocabulary).tokenize([plain("hi")]) == ids("hi")


def test_the_longer_special_token_wins(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokenize([control("<|end|>x<|end|>y")]) == [BOS, END_X, END, *ids("y")]


def test_text_between_special_tokens_is_one_run_across_pieces() -> None:
    runs: list[str] = []

    class Listening(FakeVocabulary):
        def tokenize(self, text: str) -> list[int]:
            runs.append(text)
            return super().tokenize(text)

    Tokenizer(Listening()).tokenize([control("<s>user\n"), plain("hel"), plain("lo"), control("\n<|end|>done")])
    assert runs == ["user\nhello\n", "done"]


def test_a_token_that_swallows_white_space_does(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokenize([control("a <mask> b")]) == [BOS, *ids("a"), MASK, *ids("b")]


def test_nothing_is_bos_or_nothing(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokenize([]) == [BOS]
    assert Tokenizer(FakeVocabulary(adds_bos=False)).tokenize([plain("")]) == []


def test_names_the_texts_that_only_templates_may_use(tokenizer: Tokenizer) -> None:
    assert tokenizer.control_texts == frozenset(FakeVocabulary.SPECIAL.values())
