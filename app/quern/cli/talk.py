"""What `quern chat` does: load the model, then answer once or talk."""

import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from importlib import import_module

from quern.base import CancelToken, Home
from quern.chat import BUILT_IN_TEMPLATES, ChatTemplate, choose_template
from quern.models import ModelEntry
from quern.runtime import (
    ChatSession,
    FitMemory,
    Fitting,
    Proof,
    Reply,
    ReplyStream,
    Trials,
    open_session,
    prove_entry,
    required_text,
    terms_of,
)
from quern.settings import SettingValue, setting_for
from quern.spec import LoadSettings, SamplingParams

from .conversation import Conversation
from .failure import say
from .interrupt import on_interrupt
from .keyboard import typing_ahead
from .option import Style
from .output import is_terminal
from .progress import loading_progress
from .reply import exit_code_of, print_reply_json, stream_reply, why_cut_off
from .visit import open_database, visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for; None where it says nothing. Numbers mean what they mean in the settings."""

    model: str
    load: Mapping[str, int | None]
    sampling: Mapping[str, float | None]
    system_prompt: str | None
    template_name: str | None


def talk(wanted: Wanted, once: str | None, style: Style) -> int:
    """Answer `once` ("-": stdin) or what a pipe brings, else talk until the person leaves; return the exit code.

    Raises what stops it, as a rule before anything is printed.
    """
    prompt = _only_prompt(once)
    with ExitStack() as stack:
        session, sampling = _load(wanted, stack)
        show = _show_json if style is Style.JSON else _show_text
        if prompt is not None:
            reply = show(session.ask(prompt, sampling))
            if style is Style.TEXT and (why := why_cut_off(reply, session.room)):
                say(f"The reply was cut off: {why}.")
            return exit_code_of(reply)
        say("Type a message; /help shows what else you can type.")
        Conversation(session, sampling, read_line, show).run()
        return 0


def _show_text(stream: ReplyStream) -> Reply:
    with typing_ahead():
        return stream_reply(stream)


def _show_json(stream: ReplyStream) -> Reply:
    with typing_ahead():
        return print_reply_json(stream)


def _load(wanted: Wanted, stack: ExitStack) -> tuple[ChatSession, SamplingParams]:
    """Find, prove and load the model; `stack` frees it. Ctrl-C gives up and raises Cancelled."""
    cancel = CancelToken()
    with on_interrupt(cancel.cancel), typing_ahead(), loading_progress(wanted.model) as progress:
        with visit("quern chat") as here:
            entry = here.find(wanted.model)
            template = _template(entry, wanted.template_name)
            settings = here.settings.with_choices(_load_choices(wanted.load) | _choices("sampling", wanted.sampling))
            plan = here.fitting.plan(entry, settings.load, terms_of(settings), cancel)

            def prove(load: LoadSettings) -> Proof:
                return prove_entry(entry, load, here.trials, cancel, needed_bytes=plan.host_bytes)

            proof = plan.first(prove)
        session = stack.enter_context(open_session(entry.path, proof.settings, template, progress, cancel))
        stack.callback(_remember, here.home, entry, session)
    session.system_prompt = settings.system_prompt if wanted.system_prompt is None else wanted.system_prompt
    return session, settings.sampling(entry.facts.sampling if entry.facts else None)


def _remember(home: Home, entry: ModelEntry, session: ChatSession) -> None:
    """Keep what the load took, once nobody waits for an answer any more."""
    with open_database(home, "quern chat") as database:
        Fitting(FitMemory(database), Trials(database)).remember(entry, session.facts, session.grown_bytes)


def _load_choices(load: Mapping[str, int | None]) -> dict[str, SettingValue]:
    """A context that is asked for holds, whatever goal the settings have."""
    choices: dict[str, SettingValue] = {**_choices("load", load)}
    return (
        choices
        if load.get("n_ctx_cells") is None
        else {**choices, "load.fit_goal": setting_for("load.fit_goal").default}
    )


def _choices(section: str, values: Mapping[str, float | None]) -> dict[str, float]:
    return {f"{section}.{name}": value for name, value in values.items() if value is not None}


def _template(entry: ModelEntry, name: str | None) -> ChatTemplate:
    """Return the template called for, else the model's own. Raises the entry's problem or NoChatTemplate."""
    if entry.problem is not None:
        raise entry.problem
    if name is not None:
        return BUILT_IN_TEMPLATES[name]
    return choose_template(entry.facts.chat_templates if entry.facts else {})


def _only_prompt(once: str | None) -> str | None:
    """Return the one prompt to answer, or None for a conversation. Raises MessageEmpty."""
    if once is not None and once != "-":
        return required_text(once)
    if once is None and is_terminal(sys.stdin):
        return None
    return required_text(sys.stdin.buffer.read().decode("utf-8", "replace"))


def read_line(prompt: str) -> str:
    """Read a line from the terminal, with editing and history where the system has readline."""
    with suppress(ImportError):
        import_module("readline")  # input() uses it once it is imported
    if is_terminal(sys.stdout):
        return input(prompt)
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return input()
