"""The loop of an interactive chat: read a line, answer it or obey it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from quern.base import QuernError
from quern.runtime import ChatSession, Reply, ReplyStream
from quern.spec import SamplingParams

from .failure import say, say_problem
from .reply import say_figures

HELP = """\
/help            show this
/reset           forget what was said and start again
/system TEXT     tell the model how to behave, from the next message on
/system          show what you told it
/system -        take it back
/exit            leave (Ctrl-D does too)
Ctrl-C           stop the reply
\\ at the end     continue the message on the next line
What you type during a reply is kept and sent after it."""
_ADVICE = {"ContextOverflow": "Shorten the message, start again (/reset), or give the model a larger --ctx."}


class Next(Enum):
    """What the loop does after a line."""

    GO_ON = auto()
    LEAVE = auto()


@dataclass(frozen=True, slots=True)
class Conversation:
    """Owns an interactive chat. `read_line` gets a prompt, raises EOFError at the end and KeyboardInterrupt on Ctrl-C;
    `show` prints a reply while it is written.
    """

    session: ChatSession
    sampling: SamplingParams
    read_line: Callable[[str], str]
    show: Callable[[ReplyStream], Reply]

    def run(self) -> None:
        """Talk until the person leaves. What goes wrong with one message is told, and the next one may be written."""
        while True:
            try:
                line = self._message()
            except EOFError:
                say("")
                return
            except KeyboardInterrupt:
                say("\nType /exit or press Ctrl-D to leave.")
                continue
            if self._take(line) is Next.LEAVE:
                return

    def _message(self) -> str:
        """Read a message, which goes on while lines end with a backslash."""
        lines = [self.read_line("> ")]
        while lines[-1].endswith("\\"):
            lines[-1] = lines[-1][:-1]
            lines.append(self.read_line("… "))
        return "\n".join(lines)

    def _take(self, line: str) -> Next:
        command, _, argument = line.strip().partition(" ")
        match command:
            case "":
                pass
            case "/exit" | "/quit":
                return Next.LEAVE
            case "/help":
                say(HELP)
            case "/reset":
                self.session.forget()
                say("Forgotten. What would you like to talk about?")
            case "/system":
                self._system(argument.strip())
            case _ if command.startswith("/") and command[1:].isalpha():
                say(f'There is no command "{command}". Type /help to see them all.')
            case _:
                self._answer(line)
        return Next.GO_ON

    def _system(self, text: str) -> None:
        if text:
            self.session.system_prompt = "" if text == "-" else text
        told = self.session.system_prompt
        say(f"The model is told: {told}" if told else "You told the model nothing; its chat template may.")

    def _answer(self, text: str) -> None:
        try:
            reply = self.show(self.session.ask(text, self.sampling))
        except QuernError as error:
            say_problem(error, _ADVICE)
        else:
            say_figures(reply, self.session.room)
