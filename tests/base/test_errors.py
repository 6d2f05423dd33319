"""Every error that Quern raises on purpose says what happened and what to do next."""

from dataclasses import dataclass

from quern.base import Cancelled, QuernError


@dataclass(eq=False)
class _NoSuchBeer(QuernError):
    beer: str
    n_tried: int

    sentence = "There is no {beer} after {n_tried} tries."
    advice = "Order something other than {beer}."


def test_an_error_fills_its_sentences_from_its_fields():
    error = _NoSuchBeer("stout", 3)
    assert error.what == "There is no stout after 3 tries."
    assert error.next_step == "Order something other than stout."
    assert str(error) == "There is no stout after 3 tries. Order something other than stout."
    assert error.values() == {"beer": "stout", "n_tried": 3}


def test_braces_in_a_field_are_text():
    assert _NoSuchBeer("{n_tried}", 1).what == "There is no {n_tried} after 1 tries."


def test_errors_are_told_apart_by_identity():
    assert _NoSuchBeer("stout", 3) != _NoSuchBeer("stout", 3)
    assert len({Cancelled(), Cancelled()}) == 2
