"""Strings are stepped over exactly as they say, in the expression or one by one."""

from random import Random

import pytest
from tests.gguf.forge import packed_string

from quern.gguf.reading.string_walk import STRIDE, walk_strings


def walked_by_hand(window: bytes, at: int, count: int) -> tuple[int, int]:
    walked = 0
    while walked < count and at + 8 <= len(window):
        at += 8 + int.from_bytes(window[at : at + 8], "little")
        walked += 1
    return at, walked


@pytest.mark.parametrize("longest", [0, 1, 20, 95, 96, 200, 400])
def test_strings_of_any_length_are_walked_exactly(longest: int) -> None:
    random = Random(longest)
    strings = [packed_string(random.randbytes(random.randint(0, longest))) for _ in range(3 * STRIDE + 17)]
    data = b"before" + b"".join(strings) + b"after it more than eight bytes"
    for count in (0, 1, STRIDE - 1, STRIDE, STRIDE + 1, len(strings)):
        end = 6 + sum(map(len, strings[:count]))
        assert walk_strings(data, 6, count) == (end, count)


def test_strings_full_of_zeros_are_no_trap() -> None:
    data = b"".join(packed_string(bytes(number % 40)) for number in range(2 * STRIDE))
    assert walk_strings(data, 0, 2 * STRIDE) == (len(data), 2 * STRIDE)


def test_a_window_that_ends_early_ends_the_walk() -> None:
    data = b"".join(packed_string("x" * (number % 30)) for number in range(2 * STRIDE))
    for length in range(len(data) - 60, len(data)):
        assert walk_strings(data[:length], 0, 2 * STRIDE) == walked_by_hand(data[:length], 0, 2 * STRIDE)


def test_a_wrong_length_leads_where_it_says() -> None:
    random = Random(1)
    good = b"".join(packed_string(f"word{number}") for number in range(2 * STRIDE))
    for _ in range(300):
        data = bytearray(good)
        place = random.randrange(len(data) - 8)
        data[place : place + random.randint(1, 8)] = random.randbytes(random.randint(1, 8))
        wrong = bytes(data)
        assert walk_strings(wrong, 0, 2 * STRIDE) == walked_by_hand(wrong, 0, 2 * STRIDE)
