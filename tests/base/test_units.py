"""Numbers are written as people read them."""

import pytest

from quern.base import format_bytes, format_count, format_duration_s, format_short_count


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (999, "999 B"),
        (1023, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (98 << 20, "98.0 MiB"),
        (150 << 20, "150 MiB"),
        (1023 << 20, "1.0 GiB"),
        (1503238553, "1.4 GiB"),
        (3 << 50, "3.0 PiB"),
        (5000 << 50, "5000 PiB"),
    ],
)
def test_bytes_are_written_in_binary_units(n_bytes: int, text: str):
    assert format_bytes(n_bytes) == text


def test_counts_have_their_thousands_separated():
    assert format_count(41216) == "41,216"
    assert format_count(999) == "999"


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1K"),
        (134515008, "135M"),
        (999_900_000, "1B"),
        (8030261248, "8.03B"),
        (1_700_000_000, "1.7B"),
        (70_553_706_496, "70.6B"),
        (1_026_000_000_000, "1.03T"),
    ],
)
def test_large_counts_are_shortened(n: int, text: str):
    assert format_short_count(n) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.0 s"),
        (0.84, "0.8 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (200.0, "3 min 20 s"),
        (3599.7, "1 h"),
        (3900.0, "1 h 5 min"),
    ],
)
def test_durations_have_one_or_two_units(seconds: float, text: str):
    assert format_duration_s(seconds) == text
