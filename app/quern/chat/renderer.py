"""Turns messages into prompt text with a chat template, which runs in a worker under limits of time and memory."""

import time
from collections.abc import Sequence
from datetime import datetime
from enum import Enum, auto

from quern.base import Json, JsonObject, QuernError
from quern.spec import TextPiece

from .control_text import ControlTextGuard, index_of
from .message import ChatMessage
from .template import ChatTemplate
from .template_error import TemplateBroken, TemplateRefused
from .template_worker import OUTPUT_CHARS, TemplateWorker
from .turn_order import Messages, checked, lost_system, shapes
from .unicode_text import whole_text

# Under a second with what it takes to kill the worker and say so.
RENDER_TIME_S = 0.8


class LeadingBos(Enum):
    """What becomes of a BOS text that a template writes first: STRIPPED when the engine adds BOS itself, or KEPT."""

    STRIPPED = auto()
    KEPT = auto()


class TemplateRenderer:
    """Owns the worker that runs templates. Thread-safe; renderings run one after another.

    The worker starts with `warm_up` or the first rendering. A template that outlives its time is killed with it.
    """

    def __init__(self) -> None:
        self._worker = TemplateWorker()

    def warm_up(self, template: ChatTemplate | None = None) -> None:
        """Start the worker in the background, and let it read `template`, so that the first rendering is quick."""
        self._worker.start_quietly(template.source if template is not None else "", RENDER_TIME_S)

    def render(
        self,
        template: ChatTemplate,
        messages: Sequence[ChatMessage],
        *,
        control_texts: frozenset[str],
        bos_text: str,
        eos_text: str,
        now: datetime,
        leading_bos: LeadingBos = LeadingBos.STRIPPED,
    ) -> tuple[TextPiece, ...]:
        """Return the prompt text of `messages`, ready for a reply: CONTROL where the template wrote, PLAIN where a
        message holds the text of a control token (see `control_text`).

        `control_texts`, `bos_text` and `eos_text` are the vocabulary's; `now` is what the template sees as the time.
        A system message that the template refuses or leaves out opens the first user turn instead.

        Raises NoMessages, TemplateSyntax, TemplateRefused, TemplateBroken, TemplateUnsafe, TemplateTooSlow,
        TemplateTooLong.
        """
        given = checked(messages)
        guard = ControlTextGuard(index_of(control_texts), [template.source, *(message.content for message in given)])
        question: JsonObject = {
            "template": template.source,
            "bos_token": bos_text,
            "eos_token": eos_text,
            "now": now.isoformat(),
            "output_chars": OUTPUT_CHARS,
        }
        self._worker.start()
        rendering = _Rendering(self._worker, question, time.monotonic() + RENDER_TIME_S)
        rendered = whole_text(rendering.guarded_text(given, guard))
        if bos_text and leading_bos is LeadingBos.STRIPPED:
            rendered = rendered.removeprefix(bos_text)
        return guard.reveal(rendered)

    def close(self) -> None:
        """End the worker; renderings afterwards raise Cancelled."""
        self._worker.close()


class _Rendering:
    """One rendering: it may ask the worker several times, but all of that ends at `end` (time.monotonic seconds)."""

    def __init__(self, worker: TemplateWorker, question: JsonObject, end: float) -> None:
        self._worker = worker
        self._question = question
        self._end = end

    def guarded_text(self, messages: Messages, guard: ControlTextGuard) -> str:
        """Return the rendered text in which no message, whole or in part, has become a control string."""
        hidden = tuple(guard.hide(message) for message in messages)
        text = self._text(hidden)
        if not guard.may_complete(hidden):
            return text
        bare = self._text(tuple(guard.hide_starts(message) for message in hidden))
        return text if guard.control_strings(text) == guard.control_strings(bare) else bare

    def _text(self, messages: Messages) -> str:
        """Return the text of the first shape that the template accepts without losing the system message."""
        refusal: QuernError = TemplateBroken("it leaves the system message out")
        for number, shape in enumerate(shapes(messages)):
            try:
                text = self._ask(shape)
            except (TemplateRefused, TemplateBroken) as error:
                refusal = error if number == 0 else refusal
                continue
            if not lost_system(shape, text):
                return text
        raise refusal

    def _ask(self, messages: Messages) -> str:
        turns: list[Json] = [{"role": message.role, "content": message.content} for message in messages]
        answer = self._worker.ask({**self._question, "messages": turns}, max(0.01, self._end - time.monotonic()))
        assert isinstance(answer, dict)
        return str(answer["text"])
