"""The moving window: which segments of which messages stand in the document, and where.

    messages   0 ........ 411 | 412          | 413                    | 414 ....... 9,999
    segments                  | author a b c | author d e ... (5,000) |
    document                        [b c       author d e f]  end block
                                     ^ placed[0]         ^ placed[-1]

Positions are character positions of the document; `placed` is contiguous over the flat list of all segments.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtGui import QTextCursor, QTextDocument

from .element import Element, Line
from .message import Segment, TranscriptMessage
from .writer import Writer, can_morph

BATCH_WEIGHT = 60
BATCH_SEGMENTS = 24


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """One segment's address: which message, and which of its segments."""

    message: int
    segment: int


@dataclass(slots=True)
class Placed:
    """One segment in the document, with how many characters each of its elements takes."""

    place: Place
    segment: Segment
    elements: tuple[Element, ...]
    lengths: list[int]
    is_colored: bool = False

    @property
    def length(self) -> int:
        """Characters in the document."""
        return sum(self.lengths)


class TranscriptWindow:
    """Owns the document's contents. Every change is one edit block, so it is laid out once."""

    def __init__(self, document: QTextDocument, writer: Writer) -> None:
        self.messages: list[TranscriptMessage] = []
        self.placed: list[Placed] = []
        self.writer = writer
        self._document = document
        self._starts: list[int] | None = None

    def start_of(self, index: int) -> int:
        """The position of `placed[index]`; of the end block for `len(placed)`."""
        if self._starts is None:
            self._starts = [0, *accumulate(placed.length for placed in self.placed)]
        return self._starts[index]

    def index_at(self, position: int) -> int | None:
        """Which placed segment holds `position`; None in the end block."""
        self.start_of(0)
        assert self._starts is not None
        index = bisect_right(self._starts, position) - 1
        return index if index < len(self.placed) else None

    def index_of(self, place: Place) -> int | None:
        """Where `place` stands in `placed`, or None."""
        index = bisect_left(self.placed, place, key=_place_of)
        return index if index < len(self.placed) and self.placed[index].place == place else None

    def message_range(self, message: int) -> range:
        """The placed segments of one message, as indices."""
        start = bisect_left(self.placed, Place(message, 0), key=_place_of)
        return range(start, bisect_left(self.placed, Place(message + 1, 0), key=_place_of))

    @property
    def reaches_start(self) -> bool:
        """Whether the chat's first segment is in the document."""
        return self._before(self.placed[0].place) is None if self.placed else True

    @property
    def reaches_end(self) -> bool:
        """Whether the chat's last segment is in the document."""
        return self._after(self.placed[-1].place) is None if self.placed else not self.messages

    def behind(self) -> int | None:
        """A message in the window that is not cut to its end yet."""
        if not self.placed:
            return None
        near = range(self.placed[0].place.message, self.placed[-1].place.message + 1)
        return next((number for number in near if self.messages[number].is_behind), None)

    def clear(self) -> None:
        """Empty the document; the messages stay."""
        self.placed.clear()
        self._starts = None
        self.writer.clear()

    def open_at(self, place: Place) -> None:
        """Start the window anew at `place`, with the first batch from there on."""
        self.clear()
        segments = self.messages[place.message].segments()
        segment = min(place.segment, len(segments) - 1)
        self._insert(0, [self._unplaced(Place(place.message, segment), segments[segment])])
        self.extend_down()

    def open_at_end(self) -> None:
        """Start the window anew at the end of the chat."""
        last = len(self.messages) - 1
        self.open_at(Place(last, len(self.messages[last].segments()) - 1))

    def extend_down(self) -> bool:
        """Place one batch below; False at the end of the chat."""
        batch: list[Placed] = []
        place = self._after(self.placed[-1].place) if self.placed else None
        while place is not None and not _is_enough(batch):
            batch.append(self._unplaced(place, self.messages[place.message].segments()[place.segment]))
            place = self._after(place)
        self._insert(len(self.placed), batch)
        return bool(batch)

    def extend_up(self) -> bool:
        """Place one batch above; False at the start of the chat."""
        batch: list[Placed] = []
        place = self._before(self.placed[0].place) if self.placed else None
        while place is not None and not _is_enough(batch):
            batch.append(self._unplaced(place, self.messages[place.message].segments()[place.segment]))
            place = self._before(place)
        self._insert(0, batch[::-1])
        return bool(batch)

    def drop(self, start: int, stop: int) -> None:
        """Take `placed[start:stop]` out of the document."""
        if start >= stop:
            return
        first, last = self.start_of(start), self.start_of(stop)
        self.writer.remove(first, last - first)
        del self.placed[start:stop]
        self._starts = None

    def change(self, message: int, action: Callable[[], None]) -> None:
        """Let `action` change one message, then bring what is placed of it up to date.

        Segments that look the same are not touched. If more has to be placed than a batch, what follows leaves the
        window (it comes back by extending); what the window had not reached stays out.
        """
        old = self.message_range(message)
        if not old:
            action()
            return
        last = self.placed[old.stop - 1].place.segment
        was_whole = last + 1 == len(self.messages[message].segments())
        action()
        segments = self.messages[message].segments()
        shown = segments if was_whole else segments[: last + 1]
        first = self.placed[old.start].place.segment
        same = 0
        while same < len(old) and first + same < len(shown):
            here, wanted = self.placed[old.start + same].segment, shown[first + same]
            if here is not wanted and here != wanted:
                break
            same += 1
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        at, number = old.start + same, first + same
        if same < len(old) and number < len(shown) and self._morph(at, shown[number]):
            at, number = at + 1, number + 1
        self._replace(range(at, old.stop), Place(message, number), shown[number:])
        cursor.endEditBlock()

    def _replace(self, gone: range, first: Place, wanted: Sequence[Segment]) -> None:
        """Put `wanted`, which starts at `first`, in the place of `placed[gone]`."""
        self.drop(gone.start, gone.stop)
        batch: list[Placed] = []
        for offset, segment in enumerate(wanted):
            if _is_enough(batch):
                self.drop(gone.start, len(self.placed))
                break
            batch.append(self._unplaced(Place(first.message, first.segment + offset), segment))
        self._insert(gone.start, batch)

    def _morph(self, index: int, segment: Segment) -> bool:
        """Turn `placed[index]` into `segment` element by element; False if they are of different kinds."""
        placed = self.placed[index]
        if type(placed.segment) is not type(segment) or placed.segment.voice is not segment.voice:
            return False
        new = self._elements(placed.place, segment)
        old = placed.elements
        same = 0
        while same < min(len(old), len(new)) and old[same] == new[same]:
            same += 1
        position = self.start_of(index) + sum(placed.lengths[:same])
        lengths = placed.lengths[:same]
        if same < min(len(old), len(new)) and can_morph(old[same], new[same]):
            lengths.append(self.writer.replace_line(position, old[same], new[same], segment.voice))
            position, same = position + lengths[-1], same + 1
        if same < len(old):
            self.writer.remove(position, sum(placed.lengths[same:]))
        lengths += self.writer.insert(position, new[same:], segment.voice) if same < len(new) else []
        self.placed[index] = Placed(placed.place, segment, new, lengths)
        if self._starts is not None:
            grown = self.placed[index].length - placed.length
            self._starts[index + 1 :] = [start + grown for start in self._starts[index + 1 :]]
        return True

    def _elements(self, place: Place, segment: Segment) -> tuple[Element, ...]:
        return self.messages[place.message].elements(segment)

    def _unplaced(self, place: Place, segment: Segment) -> Placed:
        return Placed(place, segment, self._elements(place, segment), [])

    def _insert(self, index: int, batch: list[Placed]) -> None:
        if not batch:
            return
        position = self.start_of(index)
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        for placed in batch:
            placed.lengths = self.writer.insert(position, placed.elements, placed.segment.voice)
            position += placed.length
        cursor.endEditBlock()
        if self._starts is not None and index == len(self.placed):
            self._starts += accumulate((one.length for one in batch[1:]), initial=self._starts[-1] + batch[0].length)
        else:
            self._starts = None
        self.placed[index:index] = batch

    def _after(self, place: Place) -> Place | None:
        if place.segment + 1 < len(self.messages[place.message].segments()):
            return Place(place.message, place.segment + 1)
        return Place(place.message + 1, 0) if place.message + 1 < len(self.messages) else None

    def _before(self, place: Place) -> Place | None:
        if place.segment > 0:
            return Place(place.message, place.segment - 1)
        if place.message == 0:
            return None
        return Place(place.message - 1, len(self.messages[place.message - 1].segments()) - 1)


def _place_of(placed: Placed) -> Place:
    return placed.place


def _is_enough(batch: Sequence[Placed]) -> bool:
    return len(batch) >= BATCH_SEGMENTS or sum(map(_weight, batch)) >= BATCH_WEIGHT


def _weight(placed: Placed) -> int:
    """About how much work placing it is: a line, 80 characters, four runs or half a table cell count one."""
    weight = 0
    for element in placed.elements:
        if isinstance(element, Line):
            weight += 1 + sum(len(run.text) for run in element.runs) // 80 + len(element.runs) // 4
        else:
            weight += 2 * len(element.rows) * len(element.sides)
    return weight
