"""What measuring teaches is kept within reason."""

import pytest
from tests.fit.fake_estimator import closed

from quern.base import Json
from quern.fit.formula.corrections import Corrections
from quern.fit.need import DeviceNeed, Needs
from quern.spec import FlashAttention

FLASH, PLAIN = closed(), closed(flash_attention=FlashAttention.OFF)


def compute(n_bytes: int) -> list[DeviceNeed]:
    return [DeviceNeed("CPU", Needs(compute=n_bytes, kv=5))]


def test_without_lessons_nothing_changes() -> None:
    assert Corrections().compute(12345, FLASH) == 12345


def test_a_lesson_makes_the_next_answer_right() -> None:
    learned = Corrections().learned(FLASH, compute(1000), compute(1100))
    assert learned.compute(1000, FLASH) == 1100
    assert learned.compute(1000, PLAIN) == 1000


def test_lessons_build_on_what_was_learned_before() -> None:
    first = Corrections().learned(PLAIN, compute(1000), compute(800))
    second = first.learned(PLAIN, compute(first.compute(1000, PLAIN)), compute(900))
    assert second.compute(1000, PLAIN) == 900


def test_what_is_almost_right_teaches_nothing() -> None:
    assert Corrections().learned(FLASH, compute(1000), compute(1004)) == Corrections()
    assert Corrections().learned(FLASH, compute(0), compute(1004)) == Corrections()


def test_absurd_lessons_are_held_within_bounds() -> None:
    assert Corrections().learned(FLASH, compute(1), compute(10**9)).compute(100, FLASH) == 200
    assert Corrections().learned(FLASH, compute(10**9), compute(1)).compute(100, FLASH) == 50


def test_corrections_survive_json() -> None:
    learned = Corrections(compute_flash=1.25, compute_plain=0.75)
    assert Corrections.from_json(learned.to_json()) == learned


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"compute_flash": 1.0},
        {"compute_flash": "1", "compute_plain": 1},
        {"compute_flash": 9, "compute_plain": 1},
    ],
)
def test_foreign_corrections_are_not_read(document: Json) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        Corrections.from_json(document)
