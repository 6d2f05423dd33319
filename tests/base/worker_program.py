"""A real worker for the tests of `base.child`: does to order what workers do by accident."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from quern.base import Json, JsonObject, ResourceMissing, confine_worker, serve_worker


def crash(_: JsonObject) -> Json:
    """Read address zero."""
    return len(ctypes.string_at(0))


def send_signal(question: JsonObject) -> Json:
    """End by the named signal."""
    return os.kill(os.getpid(), getattr(signal, str(question["name"])))


def abort(_: JsonObject) -> Json:
    """End as a failed assertion in native code does."""
    print("GGML_ASSERT(n > 0) failed", file=sys.stderr, flush=True)
    os.abort()


def end_with_code(question: JsonObject) -> Json:
    """End at once with a word on stderr, unless the code is 0."""
    code = int(str(question["code"]))
    if code:
        print("no more paper", file=sys.stderr, flush=True)
    os._exit(code)


def refuse(_: JsonObject) -> Json:
    """Fail with one of Quern's errors."""
    raise ResourceMissing("icons/beer.svg")


def fail(_: JsonObject) -> Json:
    """Fail with one of Python's errors."""
    raise ZeroDivisionError("twice")


def print_stray_lines(_: JsonObject) -> Json:
    """Write where native code writes, and read where it reads."""
    print("stray Python output", flush=True)
    os.write(1, b"stray native output\n")
    return {"stdin": os.read(0, 10).decode()}


def babble(_: JsonObject) -> Json:
    """Fill stderr for ever."""
    while True:
        print("so much to say", file=sys.stderr)


ANSWERS: dict[str, Callable[[JsonObject], Json]] = {
    "echo": lambda question: question["say"],
    "segfault": crash,
    "signal": send_signal,
    "abort": abort,
    "hang": lambda _: time.sleep(600),
    "hang holding the GIL": lambda _: len(str(7 ** (10**8))),
    "exit": end_with_code,
    "allocate": lambda question: len(bytearray(int(str(question["bytes"])))),
    "refuse": refuse,
    "fail": fail,
    "return an error": lambda _: {"error": {"kind": "NotAModel", "fields": {"reason": "it is a projector", "n": 3}}},
    "print": print_stray_lines,
    "limits": lambda _: [*resource.getrlimit(resource.RLIMIT_CORE), os.getsid(0) == os.getpid()],
    "fds": lambda _: ",".join(sorted(path.name for path in Path("/proc/self/fd").iterdir())),
    "pid": lambda _: os.getpid(),
    "have a child": lambda _: subprocess.Popen(["sleep", "600"]).pid,
    "babble": babble,
}


def answer(question: Json) -> Json:
    """Do what the question's "do" says."""
    assert isinstance(question, dict)
    return ANSWERS[str(question["do"])](question)


def main(habit: str) -> int:
    """Serve, with one of the bad habits that show before or after a question."""
    confine_worker()
    match habit:
        case "deaf":
            time.sleep(600)
        case "talks nonsense":
            print("this is not JSON", flush=True)
        case "talks without end":
            while True:
                sys.stdout.write("x" * 65536)
        case "crashes at its end":
            serve_worker(answer)
            os.kill(os.getpid(), signal.SIGSEGV)
        case "never ends":
            serve_worker(answer)
            time.sleep(600)
        case _:
            return serve_worker(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
