"""A reply on its way out: streamed as text, or as one JSON document."""

import sys

from quern.base import Json, format_count
from quern.chat import Delta, DeltaKind
from quern.runtime import Reply, ReplyStream, Room
from quern.spec import FinishReason, PromptProcessed

from .failure import EXIT_INTERRUPTED, say, say_quietly
from .interrupt import on_interrupt
from .output import columns_of, dimmed, is_terminal, print_json_line, print_text
from .printable import printable
from .word_wrap import WordWrap


def stream_reply(stream: ReplyStream) -> Reply:
    """Print the reply on stdout as it comes, its reasoning dimmed on stderr, and return it. Ctrl-C stops the reply.

    Raises what the engine met.
    """
    reply: Reply | None = None
    shown = _Shown()
    with shown, on_interrupt(stream.cancel):
        for item in stream:
            match item:
                case PromptProcessed():
                    pass
                case Delta():
                    shown.add(item)
                case Reply():
                    reply = item
    assert reply is not None  # a stream ends with the reply or raises
    return reply


def print_reply_json(stream: ReplyStream) -> Reply:
    """Wait for the reply, print it as one line of JSON, and return it. Ctrl-C stops it. Raises what the engine met."""
    with on_interrupt(stream.cancel):
        reply = next(item for item in stream if isinstance(item, Reply))
    print_json_line(described(reply))
    return reply


def described(reply: Reply) -> Json:
    """Return the reply as `quern chat --json` prints it; the names are the OpenAI API's where it has them."""
    usage, timings = reply.figures.usage, reply.figures.timings
    return {
        "text": reply.text,
        "finish_reason": reply.figures.finish_reason.value,
        "usage": {
            "prompt_tokens": usage.prompt_tokens,
            "cached_tokens": usage.cached_tokens,
            "completion_tokens": usage.completion_tokens,
        },
        "timings": {
            "ttft_ms": round(timings.ttft_ms, 3),
            "prompt_tokens_per_s": round(timings.prompt_tokens_per_s, 3),
            "decode_tokens_per_s": round(timings.decode_tokens_per_s, 3),
        },
    }


def exit_code_of(reply: Reply) -> int:
    """Return 0, or what shells expect of a program that Ctrl-C stopped."""
    return EXIT_INTERRUPTED if reply.figures.finish_reason is FinishReason.CANCELLED else 0


def why_cut_off(reply: Reply, room: Room) -> str:
    """Return why the reply ends before its end, as a clause; empty where it does not."""
    usage = reply.figures.usage
    if reply.figures.finish_reason is not FinishReason.LENGTH:
        return ""
    if usage.prompt_tokens + usage.completion_tokens < room.limit_tokens:
        return f"it has the {format_count(usage.completion_tokens)} tokens that --max-tokens allows"
    more = "a larger --ctx makes room" if room.can_grow else "the model was trained for no more"
    return f"the context of {format_count(room.limit_tokens)} tokens is full; {more}"


def say_figures(reply: Reply, room: Room) -> None:
    """Tell how the reply went, on stderr: what a person at a terminal wants to know."""
    usage, timings = reply.figures.usage, reply.figures.timings
    used = usage.prompt_tokens + usage.completion_tokens
    parts = [
        f"{format_count(usage.completion_tokens)} tokens",
        f"{timings.decode_tokens_per_s:.1f} tokens/s",
        f"first after {timings.ttft_ms:.0f} ms",
        f"{format_count(used)} of {format_count(room.limit_tokens)} tokens used",
    ]
    if why := why_cut_off(reply, room):
        parts.append(f"cut off: {why}")
    elif reply.figures.finish_reason is FinishReason.CANCELLED:
        parts.append("stopped")
    say_quietly(" · ".join(parts))


class _Shown:
    """Owns what of the reply is on the screen: where the reasoning ends and whether a line is still open."""

    def __init__(self) -> None:
        self._kind: DeltaKind | None = None
        self._is_line_open = False
        self._wrap = WordWrap(lambda: columns_of(sys.stdout))
        self._reasoning_wrap = WordWrap(lambda: columns_of(sys.stderr))

    def add(self, delta: Delta) -> None:
        if self._kind is DeltaKind.REASONING and delta.kind is DeltaKind.CONTENT:
            self._end_reasoning()
        self._kind = delta.kind
        if delta.kind is DeltaKind.CONTENT:
            print_text(self._wrap.feed(printable(delta.text)) if is_terminal(sys.stdout) else delta.text)
            self._is_line_open = not delta.text.endswith("\n")
        elif is_terminal(sys.stderr):
            self._show_reasoning(self._reasoning_wrap.feed(printable(delta.text)))

    def _end_reasoning(self) -> None:
        if is_terminal(sys.stderr):
            self._show_reasoning(self._reasoning_wrap.finish())
            say("")

    @staticmethod
    def _show_reasoning(text: str) -> None:
        sys.stderr.write(dimmed(text))
        sys.stderr.flush()

    def __enter__(self) -> "_Shown":
        return self

    def __exit__(self, *_: object) -> None:
        """End the line, also of a reply that broke off, so that what follows starts on one of its own."""
        if self._kind is DeltaKind.REASONING:
            self._end_reasoning()
        print_text(self._wrap.finish())
        if self._is_line_open:
            print_text("\n")
