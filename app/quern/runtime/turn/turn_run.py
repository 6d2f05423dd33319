"""The answering of one stored message: prompt, stream, save, end."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from quern.base import Cancelled, CancelToken
from quern.chat import (
    ChatTemplate,
    ConversationStore,
    Exchange,
    Figures,
    MessageState,
    ReplyText,
    TemplateRenderer,
    opening_of,
)
from quern.engine import CompletionRequest, EventSource
from quern.runtime.failure import as_quern_error
from quern.spec import (
    FinishReason,
    GenerationFailed,
    GenerationFinished,
    PromptProcessed,
    SamplingParams,
    TextProduced,
)

from .turn_event import PromptAdvanced, ReplyGrew, TurnEnded, TurnEvents, TurnFailed
from .turn_prompt import ChatEngine, ContextOverflow, prepare_turn
from .turn_reply import ReplyDraft
from .turn_saver import ReplySaver

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who answers: a loaded model, its template, how its tokens are chosen, and the name kept with the reply."""

    engine: ChatEngine
    template: ChatTemplate
    sampling: SamplingParams
    model_name: str

    @property
    def request_sampling(self) -> SamplingParams:
        """The sampling parameters with the template's own stop strings."""
        return replace(self.sampling, stop=tuple(dict.fromkeys((*self.sampling.stop, *self.template.stop))))


class ReplyRun:
    """Owns one reply from its empty row to its end. `run` is called once, in the turn's thread."""

    def __init__(
        self,
        store: ConversationStore,
        renderer: TemplateRenderer,
        speaker: Speaker,
        exchange: Exchange,
        events: TurnEvents,
        cancel: CancelToken,
        take_back: Callable[[], None],
    ) -> None:
        self._store = store
        self._renderer = renderer
        self._speaker = speaker
        self._exchange = exchange
        self._reply = exchange.reply
        self._take_back = take_back
        self._events = events
        self._cancel = cancel
        self._draft = ReplyDraft(exchange.reply)
        self.saver = ReplySaver(store, exchange.reply.id, events, self._text_so_far, cancel.cancel)

    def run(self) -> TurnEnded | TurnFailed:
        """Generate the reply and store it; return how it ended. Never raises.

        Where the store refuses the last text, `saver` goes on trying. A new message that leaves no room for a reply is
        taken back: in the conversation it would make every later prompt too long as well.
        """
        self.saver.start()
        state, figures, failure = MessageState.COMPLETE, None, None
        try:
            figures = self._generate()
            if figures.finish_reason is FinishReason.CANCELLED:
                state = MessageState.STOPPED
        except Cancelled:
            state = MessageState.STOPPED
        except Exception as error:
            state, failure = MessageState.FAILED, as_quern_error(error)
        if isinstance(failure, ContextOverflow) and self._is_taken_back():
            return TurnFailed(failure, None)
        self._publish(self._draft.finish())
        text = self._draft.text(state, figures)
        self.saver.finish(text)
        reply = self._draft.message(text)
        return TurnEnded(reply) if failure is None else TurnFailed(failure, reply)

    def _is_taken_back(self) -> bool:
        """Take a new message back, if this is one and the store can."""
        if self._exchange.user is None:
            return False
        try:
            self._take_back()
        except Exception as error:
            logger.info("message %d not taken back: %s", self._exchange.user.id, as_quern_error(error))
            return False
        self.saver.abandon()
        return True

    def _generate(self) -> Figures:
        generation = self._submit()
        self._cancel.on_cancel(generation.cancel)
        for event in generation:
            match event:
                case PromptProcessed(n_done, n_total):
                    self._events.publish(PromptAdvanced(n_done, n_total))
                case TextProduced(text):
                    self._publish(self._draft.grow(text))
                case GenerationFinished(reason, usage, timings):
                    return Figures(usage=usage, timings=timings, finish_reason=reason)
                case GenerationFailed(error):
                    raise error
        raise Cancelled

    def _submit(self) -> EventSource:
        speaker = self._speaker
        conversation = self._store.get(self._reply.conversation_id)
        history = self._store.path_to(self._reply.parent_id)
        prepared = prepare_turn(speaker.engine, speaker.template, self._renderer, conversation.system_prompt, history)
        self._cancel.raise_if_cancelled()
        self._draft.open(opening_of(prepared.pieces))
        return speaker.engine.submit(CompletionRequest(tokens=prepared.tokens, sampling=speaker.request_sampling))

    def _publish(self, grown: ReplyGrew | None) -> None:
        if grown is not None:
            self._events.publish(grown)

    def _text_so_far(self) -> ReplyText:
        return self._draft.text(MessageState.STREAMING)
