"""Keeps a model in memory while other threads read it: closing waits until the last reader has left."""

from collections.abc import Generator
from contextlib import contextmanager
from threading import Condition

from .errors import EngineBroken


class Door:
    """Counts the threads that read a model's vocabulary beside the engine thread. Thread-safe."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._n_inside = 0
        self._is_closed = False

    @contextmanager
    def inside(self) -> Generator[None, None, None]:
        """Hold the model for the body of a `with`. Raises EngineBroken once the door is closed."""
        with self._changed:
            if self._is_closed:
                raise EngineBroken("it was unloaded")
            self._n_inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_inside -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Let nobody in any more and wait until everybody has left; idempotent. Not to be called from inside."""
        with self._changed:
            self._is_closed = True
            self._changed.wait_for(lambda: self._n_inside == 0)
