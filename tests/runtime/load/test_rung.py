"""The ladder goes from fast to safe."""

from quern.runtime.load.rung import Rung, ladder
from quern.spec import ExtraBuffers, LoadSettings

AVOIDED = LoadSettings(extra_buffers=ExtraBuffers.AVOIDED)


def test_everything_first_then_no_extra_buffers() -> None:
    assert [rung.applied_to(LoadSettings()) for rung in ladder(LoadSettings())] == [LoadSettings(), AVOIDED]


def test_what_was_given_up_before_is_not_tried_twice() -> None:
    assert ladder(AVOIDED) == (Rung.NO_EXTRA_BUFFERS,)
