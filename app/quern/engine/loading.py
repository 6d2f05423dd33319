"""Turns a path into an Engine."""

from collections.abc import Callable
from pathlib import Path

from quern.base import CancelToken
from quern.gguf import inspect_model
from quern.spec import LoadSettings

from .engine import Engine
from .native import NativeMachine
from .tokenizer import Tokenizer


def load_engine(
    path: Path, settings: LoadSettings, progress: Callable[[float], None], cancel: CancelToken | None = None
) -> Engine:
    """Load the model at `path` (the first shard, where there are several) in this thread and start its engine thread.

    `progress(share)` hears of 0..1; raising from it stops the load. A model whose settings have not been proven
    (`quern.runtime.load`) can take the process down.

    Raises quern.gguf's errors for a file that is no whole model, ModelNotLoadable, UnknownArchitecture,
    VocabularyUnusable, CannotChat, ContextNotCreatable, Cancelled.
    """
    inspect_model(path)
    stop = cancel or CancelToken()
    stop.raise_if_cancelled()

    def go_on(share: float) -> bool:
        progress(share)
        return not stop.is_cancelled

    machine = NativeMachine(path, settings, go_on)
    try:
        tokenizer = Tokenizer(machine.vocab)
        facts = machine.facts(tokenizer)
        stop.raise_if_cancelled()
    except BaseException:
        machine.close()
        raise
    return Engine(machine, tokenizer, facts, path.stem)
