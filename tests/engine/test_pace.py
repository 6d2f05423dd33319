"""Chunks of about half a second."""

from quern.engine.pace import Pace


def test_begins_with_a_chunk_of_128_or_the_batch() -> None:
    assert Pace(512).chunk_tokens == 128
    assert Pace(32).chunk_tokens == 32


def test_follows_the_measured_speed_in_powers_of_two() -> None:
    pace = Pace(2048)
    pace.measured(128, 0.128)  # 1,000 tokens/s: 500 in half a second
    assert pace.chunk_tokens == 256
    pace.measured(256, 10.0)  # 26 tokens/s
    assert pace.chunk_tokens == 64
    pace.measured(64, 0.001)
    assert pace.chunk_tokens == 2048


def test_a_short_tail_or_no_time_says_nothing() -> None:
    pace = Pace(2048)
    pace.measured(3, 10.0)
    pace.measured(64, 0.0)
    assert pace.chunk_tokens == 128
