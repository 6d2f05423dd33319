"""Token pieces to reply text: whole characters, nothing of a stop string."""

import codecs
from collections.abc import Sequence


class ReplyText:
    """Owns the text of one reply that is not out yet: bytes of an unfinished character, the start of a stop string."""

    def __init__(self, stops: Sequence[str] = ()) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stops = tuple(stop for stop in stops if stop)
        self._longest = max((len(stop) for stop in self._stops), default=0)
        self._held = ""
        self.hit_stop = False

    def feed(self, piece: bytes) -> str:
        """Take in a piece and return the text that is certain now; sets `hit_stop` when a stop string is complete.

        Bytes that are not UTF-8 become U+FFFD. After a stop string nothing comes out any more.
        """
        if self.hit_stop:
            return ""
        text = self._decoder.decode(piece)
        if not self._stops:
            return text
        pending = self._held + text
        found = [at for at in (pending.find(stop) for stop in self._stops) if at >= 0]
        if found:
            self.hit_stop = True
            self._held = ""
            return pending[: min(found)]
        keep = self._n_held(pending)
        self._held = pending[len(pending) - keep :]
        return pending[: len(pending) - keep]

    def rest(self) -> str:
        """What was held back, at the end of a reply without a stop string; an unfinished character is dropped."""
        held, self._held = self._held, ""
        return held

    def _n_held(self, pending: str) -> int:
        """Length of the longest end of `pending` that a stop string begins with."""
        longest = min(len(pending), self._longest - 1)
        ends = (length for length in range(longest, 0, -1) if self._begins_a_stop(pending[-length:]))
        return next(ends, 0)

    def _begins_a_stop(self, text: str) -> bool:
        return any(stop.startswith(text) for stop in self._stops)
