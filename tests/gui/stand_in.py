"""What the window's tests talk to instead of a model: an engine that says what it is told to, and an app around it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import cast

from quern import chat, models
from quern.base import Home, Job, JobPool, NetworkPolicy, Publisher, QuernError, Recovery, open_or_recover
from quern.chat import ChatMessage, ChatTemplate, ConversationStore
from quern.engine import CompletionRequest, Engine, EngineFacts
from quern.gguf import FileKind, ModelFacts
from quern.models import ModelEntry, Origin
from quern.runtime import (
    App,
    Attempt,
    ChatTurns,
    LoadTerms,
    Outcome,
    Proof,
    ResidencyChanged,
    ResidencyPhase,
    Resident,
    Rung,
    Trials,
)
from quern.runtime.load import trial
from quern.settings import SettingsStore
from quern.spec import (
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    LoadSettings,
    PieceKind,
    PromptProcessed,
    TextPiece,
    TextProduced,
    Timings,
    Usage,
)

from .stand_in_fit import StandInFitting

TEMPLATE = ChatTemplate("{{ messages }}")
N_CTX = 4096

ATTEMPTS = (Attempt(Rung.EVERYTHING, Outcome.CRASHED, "SIGSEGV"), Attempt(Rung.NO_EXTRA_BUFFERS, Outcome.PASSED))


@dataclass
class Script:
    """What the engine says to the next requests, and when it may go on."""

    pieces: tuple[str, ...] = ("Hello", " there", ".")
    error: QuernError | None = None
    go_on: Event = field(default_factory=Event)
    n_reading: int = 0
    pause_after: int = 0

    def __post_init__(self) -> None:
        self.go_on.set()


class ScriptedGeneration:
    """One reply of the stand-in; waits for `go_on` before every piece, and ends when it is cancelled."""

    def __init__(self, script: Script, request: CompletionRequest) -> None:
        self._script = script
        self._request = request
        self._cancelled = Event()

    def cancel(self) -> None:
        self._cancelled.set()

    def __iter__(self) -> Iterator[GenerationEvent]:
        n_prompt = len(self._request.tokens)
        yield PromptProcessed(self._script.n_reading or n_prompt, n_prompt)
        done = 0
        for piece in self._script.pieces:
            while not self._script.go_on.wait(0.01) and not self._cancelled.is_set():
                pass
            if self._cancelled.is_set():
                yield self._end(FinishReason.CANCELLED, done)
                return
            done += 1
            yield TextProduced(piece, done)
            if done == self._script.pause_after:
                self._script.go_on.clear()
        if self._script.error is not None:
            yield GenerationFailed(self._script.error)
        else:
            yield self._end(FinishReason.STOP, done)

    def _end(self, reason: FinishReason, done: int) -> GenerationFinished:
        usage = Usage(prompt_tokens=len(self._request.tokens), cached_tokens=12, completion_tokens=done)
        timings = Timings(ttft_ms=184.0, prompt_tokens_per_s=512.0, decode_tokens_per_s=41.6)
        return GenerationFinished(reason, usage, timings)


class ScriptedEngine:
    """Counts words as tokens and says what `script` holds."""

    def __init__(self, script: Script, *, limit_tokens: int = N_CTX) -> None:
        self.script = script
        self.requests: list[CompletionRequest] = []
        self.facts = EngineFacts(
            n_ctx_cells=limit_tokens,
            n_ctx_train=8192,
            request_limit_tokens=limit_tokens,
            n_vocab=50_000,
            device_names=("CPU",),
            settings=LoadSettings(),
            control_texts=frozenset(),
            bos_text="",
            eos_text="",
            adds_bos=False,
            model_size_bytes=98 << 20,
            memory_bytes=256 << 20,
        )

    def tokenize(self, pieces: Sequence[TextPiece]) -> list[int]:
        return list(range(len("".join(piece.text for piece in pieces).split())))

    def submit(self, request: CompletionRequest) -> ScriptedGeneration:
        self.requests.append(request)
        return ScriptedGeneration(self.script, request)

    def close(self) -> None:
        return None


class PlainRenderer:
    """Writes prompts as "role: content" lines, in this process."""

    def render(
        self, _template: ChatTemplate, messages: Sequence[ChatMessage], **_marks: object
    ) -> tuple[TextPiece, ...]:
        return tuple(TextPiece(f"{message.role}: {message.content}\n", PieceKind.PLAIN) for message in messages)

    def close(self) -> None:
        return None


def model_entry(name: str = "SmolLM2-135M-Instruct Q4_1", **changes: object) -> ModelEntry:
    """Return a usable starter model; `changes` replace its fields."""
    facts = ModelFacts(
        name="SmolLM2 135M Instruct",
        architecture="llama",
        parameter_count=134_515_008,
        quantization="Q4_1",
        size_bytes=98 << 20,
        kind=FileKind.MODEL,
        n_ctx_train=8192,
        n_vocab=49_152,
        n_layer=30,
        chat_templates={"default": "{% for message in messages %}{{ message.content }}{% endfor %}"},
        licence="apache-2.0",
    )
    path = Path("/home/ada/models") / f"{name}.gguf"
    fields: dict[str, object] = {
        "name": name,
        "path": path,
        "shards": (path,),
        "size_bytes": 98 << 20,
        "origin": Origin.STARTER,
        "facts": facts,
        "problem": None,
    }
    return ModelEntry(**(fields | changes))  # pyright: ignore[reportArgumentType]


class StandInResidency:
    """Loads at once, unless `hold` is cleared; `error` makes the next load fail."""

    def __init__(self, jobs: JobPool, engine: ScriptedEngine) -> None:
        self._jobs = jobs
        self._engine = engine
        self.template: ChatTemplate | None = TEMPLATE
        self.rung = Rung.NO_EXTRA_BUFFERS
        self.hold = Event()
        self.hold.set()
        self.error: QuernError | None = None
        self.resident: Resident | None = None
        self.loaded: list[tuple[str, LoadSettings]] = []
        self.terms: list[LoadTerms] = []
        self.changed: Publisher[ResidencyChanged] = Publisher()

    def load(self, entry: ModelEntry, settings: LoadSettings, terms: LoadTerms) -> Job[Resident]:
        self.loaded.append((entry.name, settings))
        self.terms.append(terms)

        def work(job: Job[Resident]) -> Resident:
            self.changed.publish(ResidencyChanged(ResidencyPhase.LOADING, entry))
            job.report(0.4, 1.0, "loading")
            while not self.hold.wait(0.01):
                job.cancel_token.raise_if_cancelled()
            if self.error is not None:
                self.changed.publish(ResidencyChanged(ResidencyPhase.FAILED, entry, self.error))
                raise self.error
            proof = Proof(settings=settings, rung=self.rung, remembered=True, attempts=ATTEMPTS)
            self.resident = Resident(entry, cast("Engine", self._engine), proof, self.template)
            self.changed.publish(ResidencyChanged(ResidencyPhase.LOADED, entry))
            return self.resident

        return self._jobs.start(work)

    def unload(self) -> None:
        self.resident = None
        self.changed.publish(ResidencyChanged(ResidencyPhase.EMPTY))


class StandInLibrary:
    """Holds the entries it is given."""

    def __init__(self, entries: Sequence[ModelEntry]) -> None:
        self.entries = list(entries)
        self.refuse: QuernError | None = None

    def scan(self) -> tuple[ModelEntry, ...]:
        return tuple(self.entries)

    def add(self, path: Path) -> ModelEntry:
        if self.refuse is not None:
            raise self.refuse
        entry = model_entry(path.stem, path=path, shards=(path,), origin=Origin.ADDED)
        self.entries.append(entry)
        return entry

    def remove(self, entry: ModelEntry) -> None:
        self.entries.remove(entry)


class StandInApp:
    """Looks like quern.runtime.App: a real database and real turns, a model that is not there."""

    def __init__(self, root: Path, entries: Sequence[ModelEntry] | None = None) -> None:
        self.home = Home(root)
        self.home.prepare()
        self.settings = SettingsStore(self.home.settings)
        self.settings.load()
        self.network = NetworkPolicy(offline=False)
        self.jobs = JobPool("test-job", 2)
        self.script = Script()
        self.engine = ScriptedEngine(self.script)
        self.residency = StandInResidency(self.jobs, self.engine)
        self.library = StandInLibrary([model_entry()] if entries is None else entries)
        self.renderer = PlainRenderer()
        self.fits = StandInFitting()
        self.fitting = self.fits.as_fitting
        self.storage_error: QuernError | None = None
        self.recovery: Recovery | None = None
        self.before_open: Callable[[ConversationStore], None] = lambda _store: None

    @property
    def as_app(self) -> App:
        """This, as the window takes it."""
        return cast("App", self)

    def open_storage(self) -> Recovery | None:
        if self.storage_error is not None:
            raise self.storage_error
        schemas = (chat.TABLES, models.TABLES, trial.TABLES)
        self.database = open_or_recover(self.home.database, schemas, self.home.backups).database
        self.store = ConversationStore(self.database)
        self.before_open(self.store)
        self.trials = Trials(self.database)
        self.turns = ChatTurns(self.store, cast("chat.TemplateRenderer", self.renderer))
        return self.recovery

    def close(self) -> None:
        self.script.go_on.set()
        self.residency.hold.set()
        if hasattr(self, "database"):
            self.turns.close()
        self.jobs.close()
        if hasattr(self, "database"):
            self.database.close()


__all__ = ["Script", "ScriptedEngine", "StandInApp", "model_entry"]
