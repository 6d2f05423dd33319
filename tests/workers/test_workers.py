"""Workers are found by name."""

import pytest

from quern import workers


def test_an_unknown_name_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert workers.run("nobody") == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert "nobody" in out.err
