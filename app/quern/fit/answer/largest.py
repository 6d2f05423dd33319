"""Looks for the largest context that fits, with few questions, also where needs do not grow in a straight line."""

from collections.abc import Callable
from dataclasses import replace

from quern.fit.choice import CELL_STEP
from quern.spec import LoadSettings

from .attempt import Attempts

Vary = Callable[[LoadSettings, int], LoadSettings]


def with_cells(settings: LoadSettings, n_cells: int) -> LoadSettings:
    """Return `settings` with another context and everything else as it is."""
    return replace(settings, n_ctx_cells=n_cells)


def largest_ctx(attempts: Attempts, settings: LoadSettings, most_cells: int, vary: Vary = with_cells) -> int | None:
    """Return the largest context that keeps every margin, in cells, a multiple of 256 of at most `most_cells` padded.

    `vary` makes the settings of a context. None where not even 256 cells fit; one step more than the answer does not
    fit. One question where all of it fits, four where needs grow in a straight line, at most three for each halving.
    A context that is refused does not fit. Raises FitUnknown, DeviceGone.
    """

    def spare(step: int) -> int:
        found = attempts.attempt(vary(settings, step * CELL_STEP))
        return _REFUSED if found is None else found.spare

    last = max(1, -(-most_cells // CELL_STEP))
    if (at_last := spare(last)) >= 0:
        return last * CELL_STEP
    if last == 1 or (at_first := spare(1)) < 0:
        return None
    bracket = _Bracket(1, at_first, last, at_last)
    while not bracket.is_closed:
        for propose in (bracket.crossing, bracket.beside, bracket.middle):
            if bracket.is_closed:
                break
            step = propose()
            bracket.narrow(step, spare(step))
    return bracket.low * CELL_STEP


_REFUSED = -(1 << 62)


class _Bracket:
    """The last step known to fit and the first known not to, with what they have to spare."""

    def __init__(self, low: int, spare_low: int, high: int, spare_high: int) -> None:
        self.low, self._spare_low = low, spare_low
        self._high, self._spare_high = high, spare_high
        self._last = low

    @property
    def is_closed(self) -> bool:
        return self._high - self.low <= 1

    def narrow(self, step: int, spare: int) -> None:
        if spare >= 0:
            self.low, self._spare_low = step, spare
        else:
            self._high, self._spare_high = step, spare
        self._last = step

    def crossing(self) -> int:
        """Where nothing would be left if needs grew in a straight line."""
        width = self._high - self.low
        return self._inside(self.low + width * self._spare_low // (self._spare_low - self._spare_high))

    def beside(self) -> int:
        """The neighbour of the last step tried: where that was right, the search ends."""
        return self._inside(self._last + (1 if self._last == self.low else -1))

    def middle(self) -> int:
        return (self.low + self._high) // 2

    def _inside(self, step: int) -> int:
        return max(self.low + 1, min(step, self._high - 1))
