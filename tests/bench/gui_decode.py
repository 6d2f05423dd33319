"""Decode speed through the window against the same loop without one: same model, prompt, sampling and threads.

Usage: python -m tests.bench.gui_decode [PAIRS] [TOKENS]. Prints JSON for threads = cores and for one core free: the
medians in tokens/s over interleaved pairs of fresh processes, and the median of the pairs' ratios.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from quern.base import CancelToken, Home
from quern.chat import ChatMessage, ChatTemplate, Role, TemplateRenderer
from quern.engine import CompletionRequest, Engine, load_engine
from quern.models import ModelEntry
from quern.runtime import App, Resident
from quern.settings import Settings
from quern.spec import ExtraBuffers, GenerationFinished

PROMPT = "Write a very long story about a lighthouse keeper. Use many headings, lists and paragraphs."


def write_settings(home: Path, n_threads: int, n_tokens: int) -> None:
    """Give the data folder `home` the settings that both sides run with."""
    home.mkdir(mode=0o700, exist_ok=True)
    load = f"[load]\nn_threads = {n_threads}\nn_ctx_cells = 2048\nextra_buffers = 'avoided'\n"
    sampling = f"[sampling]\ntemperature = 0.0\nmax_tokens = {n_tokens}\nrepeat_penalty = 1.1\n"
    (home / "settings.toml").write_text(f"version = 1\n{load}{sampling}")


def without_window() -> float:
    """Generate the reply in a plain loop over the engine's events; return tokens/s."""
    app = App.open(Home.locate(), "bench")
    app.open_storage()
    entry = app.library.find("SmolLM2")
    settings = app.settings.current
    assert settings.load.extra_buffers is ExtraBuffers.AVOIDED
    engine = load_engine(entry.path, settings.load, lambda _: None, CancelToken())
    speed = decode(engine, app.renderer, entry, settings)
    engine.close()
    app.close()
    return speed


def decode(engine: Engine, renderer: TemplateRenderer, entry: ModelEntry, settings: Settings) -> float:
    """Return the tokens/s of one reply to PROMPT."""
    from quern.runtime.turn.turn_prompt import prepare_messages

    template = ChatTemplate(entry.require_facts().chat_templates["default"])
    prepared = prepare_messages(engine, template, renderer, (ChatMessage(Role.USER.value, PROMPT),))
    request = CompletionRequest(tokens=prepared.tokens, sampling=settings.sampling(entry.require_facts().sampling))
    for event in engine.submit(request):
        if isinstance(event, GenerationFinished):
            return event.timings.decode_tokens_per_s
    raise AssertionError("the reply did not finish")


def in_window() -> float:
    """Type PROMPT into the window, press Enter, and return the tokens/s that the reply's figures say."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtTest import QTest

    from quern.gui.application import LaunchOptions, run
    from quern.gui.main_window import MainWindow

    app = App.open(Home.locate(), "window")
    speeds: list[float] = []

    def drive(window: MainWindow) -> Iterator[None]:
        while not isinstance(getattr(app, "residency", None) and app.residency.resident, Resident):
            yield
        for _ in range(4):
            yield  # a person needs a second before the first message too
        edit = window.chat.column.composer.edit
        edit.setPlainText(PROMPT)
        began_s = time.thread_time()
        QTest.keyClick(edit, Qt.Key.Key_Return)
        while not app.store.conversations():
            yield
        (conversation,) = app.store.conversations()
        while app.turns.running(conversation.id) is not None:
            yield
        spent_s = time.thread_time() - began_s
        figures = app.store.path(conversation.id)[-1].figures
        assert figures is not None
        speeds.append(figures.timings.decode_tokens_per_s)
        print(f"GUI thread: {1000 * spent_s / figures.usage.completion_tokens:.2f} ms a token", file=sys.stderr)
        window.close()

    def with_window(window: MainWindow) -> None:
        steps = drive(window)
        timer = QTimer(window)
        timer.timeout.connect(lambda: next(steps, None))
        timer.start(250)

    run(app, LaunchOptions(on_window=with_window))
    app.close()
    return speeds[0]


def measure(side: str, n_threads: int, n_tokens: int) -> float:
    """Run one side in a fresh process and data folder; return its tokens/s."""
    with tempfile.TemporaryDirectory() as folder:
        write_settings(Path(folder) / "home", n_threads, n_tokens)
        environ = os.environ | {"QT_QPA_PLATFORM": "offscreen", "QUERN_HOME": str(Path(folder) / "home")}
        command = [sys.executable, "-m", "tests.bench.gui_decode", "--side", side]
        result = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    return float(result.stdout.split()[-1])


def compare(n_threads: int, pairs: int, n_tokens: int) -> dict[str, float]:
    """Return medians of `pairs` interleaved pairs and the median ratio, window over no window."""
    bare: list[float] = []
    window: list[float] = []
    for _ in range(pairs):
        bare.append(measure("bare", n_threads, n_tokens))
        window.append(measure("window", n_threads, n_tokens))
    ratios = [with_it / without for with_it, without in zip(window, bare, strict=True)]
    return {
        "threads": n_threads,
        "bare_tokens_per_s": round(statistics.median(bare), 1),
        "window_tokens_per_s": round(statistics.median(window), 1),
        "ratio_of_medians": round(statistics.median(window) / statistics.median(bare), 3),
        "median_ratio": round(statistics.median(ratios), 3),
    }


def main(pairs: int = 9, n_tokens: int = 200) -> None:
    """Compare with as many threads as cores, and with one core free."""
    cores = os.cpu_count() or 1
    for n_threads in dict.fromkeys((cores, max(1, cores - 1))):
        print(json.dumps(compare(n_threads, pairs, n_tokens)), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        print(in_window() if sys.argv[2] == "window" else without_window())
    else:
        main(*(int(argument) for argument in sys.argv[1:3]))
