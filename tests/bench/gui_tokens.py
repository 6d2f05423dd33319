"""What one streamed token costs the window's thread, in a chat of 1,000 messages: `python -m tests.bench.gui_tokens`.

Feeds a reply of mixed Markdown at 100 tokens/s into a visible TranscriptView and counts the processor time of the whole
GUI thread (event loop, timers, layout, painting, highlighting), token by token. Prints one JSON object.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from time import thread_time

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from quern.gui.widgets.transcript import ShownMessage, ShownState, TranscriptView

N_MESSAGES = 1_000
SETTLE_MS = 1_500
REPLY_ID = N_MESSAGES
SAMPLE = """Here is how a **prefix tree** keeps what several requests share, in `three` steps and with a [link](https://example.org/).

1. Every edge holds a run of tokens; a node is split where two prompts part.
2. A *lease* keeps a node's cells while a request uses them.
   - A request that ends gives its lease back.
   - Cells without leases are evicted, the oldest first.
3. What is shared is counted once.

```python
def match(node: Node, tokens: Sequence[int]) -> int:
    \"\"\"Return how many of `tokens` lie on the path from `node`.\"\"\"
    matched = 0
    while node is not None and matched < len(tokens):
        edge = node.edge_to(tokens[matched])
        matched += edge.common_length(tokens[matched:])  # stops inside an edge
        node = edge.target
    return matched
```

| Strategy | Cells | Time |
|:--|--:|--:|
| none | 41,216 | 3.1 s |
| prefix tree | 9,830 | 0.4 s |

The cost is $O(n \\log n)$ in the worst case, and in practice close to linear, since most prompts of a chat begin alike.

"""


@dataclass(frozen=True, slots=True)
class TokenCost:
    """GUI-thread processor time per token, in milliseconds, without the clock's own (`clock_ms`).

    `longest_ms` is the largest share of one token.
    """

    n_tokens: int
    mean_ms: float
    p95_ms: float
    longest_ms: float
    clock_ms: float


def mixed_tokens(count: int) -> list[str]:
    """`count` pieces of about four characters, as a model would stream them."""
    pieces = [SAMPLE[at : at + 4] for at in range(0, len(SAMPLE), 4)]
    return list(islice(cycle(pieces), count))


def long_chat() -> list[ShownMessage]:
    """999 finished messages and one that is being written."""
    messages = [
        ShownMessage(number, "assistant" if number % 2 else "user", SAMPLE if number % 2 else "And then? Please go on.")
        for number in range(N_MESSAGES)
    ]
    return [*messages, ShownMessage(REPLY_ID, "assistant", "", state=ShownState.STREAMING)]


class Feed:
    """Owns the clock: hands over one token per tick and notes what the thread spent since the last one."""

    def __init__(self, take: Callable[[str], None], tokens: list[str], interval_ms: int) -> None:
        self.costs_ms: list[float] = []
        self._take = take
        self._tokens = iter(tokens)
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(interval_ms)
        self._timer.timeout.connect(self._tick)
        self._last = 0.0

    def start(self) -> None:
        """Begin now; the application quits after the last token."""
        self._last = thread_time()
        self._timer.start()

    def _tick(self) -> None:
        now = thread_time()
        self.costs_ms.append((now - self._last) * 1000)
        self._last = now
        token = next(self._tokens, None)
        if token is None:
            self._timer.stop()
            QApplication.exit()
            return
        self._take(token)


def measure(n_tokens: int, tokens_per_s: int) -> TokenCost:
    """Stream `n_tokens` at `tokens_per_s` into a chat of 1,000 messages and return what it cost.

    First the same tokens go nowhere: what that costs is the clock's own and is taken off.
    """
    idle = run(Feed(lambda _token: None, mixed_tokens(300), 1000 // tokens_per_s), SETTLE_MS)
    clock_ms = statistics.median(idle)
    view = TranscriptView()
    view.resize(1100, 900)
    view.show_messages(long_chat())
    view.show()
    feed = Feed(lambda token: view.grow_reply(REPLY_ID, token, ""), mixed_tokens(n_tokens), 1000 // tokens_per_s)
    costs = [max(0.0, cost - clock_ms) for cost in run(feed, SETTLE_MS)]
    view.close()
    return TokenCost(len(costs), statistics.fmean(costs), statistics.quantiles(costs, n=20)[-1], max(costs), clock_ms)


def run(feed: Feed, wait_ms: int) -> list[float]:
    """Run the event loop until `feed` ends; the cost of every token but the first, in milliseconds."""
    QTimer.singleShot(wait_ms, feed.start)
    QApplication.exec()
    return feed.costs_ms[1:]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=1_500)
    parser.add_argument("--rate", type=int, default=100, help="tokens per second")
    chosen = parser.parse_args()
    app = QApplication(sys.argv[:1])
    app.setApplicationName("quern-bench")
    json.dump(asdict(measure(chosen.tokens, chosen.rate)), sys.stdout)
    print()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
