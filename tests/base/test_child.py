"""What crashes, aborts, hangs or fails in a worker becomes one clear error here, and nothing stays behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread, Timer

import pytest

from quern.base import (
    Cancelled,
    CancelToken,
    ChildLimits,
    Json,
    WorkerAborted,
    WorkerCrashed,
    WorkerFailed,
    WorkerProcess,
    WorkerTimedOut,
    ask_worker,
    child_process,
    worker_command,
)

PROGRAM = Path(__file__).with_name("worker_program.py")
LIMITS = ChildLimits(time_s=30.0)


def command(habit: str) -> Sequence[str]:
    return (sys.executable, str(PROGRAM), habit)


def ask(
    question: Json, limits: ChildLimits = LIMITS, *, habit: str = "none", cancel: CancelToken | None = None
) -> Json:
    return ask_worker(habit, question, limits, cancel, command=command)


def wait_until(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("document", [None, True, 1.5, "Grüße\n☕", [1, [2]], {"a": {"b": "x" * 200_000}}])
def test_any_json_goes_in_and_out(document: Json):
    assert ask({"do": "echo", "say": document}) == document


def test_a_segmentation_fault_is_a_crash():
    with pytest.raises(WorkerCrashed) as caught:
        ask({"do": "segfault"})
    assert caught.value.signal_name == "SIGSEGV"


@pytest.mark.parametrize("name", ["SIGILL", "SIGBUS", "SIGFPE", "SIGKILL"])
def test_other_faults_are_crashes_by_their_names(name: str):
    with pytest.raises(WorkerCrashed) as caught:
        ask({"do": "signal", "name": name})
    assert caught.value.signal_name == name


def test_an_abort_brings_its_last_words():
    with pytest.raises(WorkerAborted) as caught:
        ask({"do": "abort"})
    assert caught.value.last_words == "GGML_ASSERT(n > 0) failed"


@pytest.mark.parametrize("do", ["hang", "hang holding the GIL", "babble"])
def test_a_hang_is_ended_when_its_time_is_over(do: str):
    started = time.monotonic()
    with pytest.raises(WorkerTimedOut) as caught:
        ask({"do": do}, ChildLimits(time_s=0.5))
    assert 0.5 <= time.monotonic() - started < 10.0
    assert caught.value.seconds == 0.5


def test_a_worker_that_reads_nothing_is_ended_when_its_time_is_over():
    with pytest.raises(WorkerTimedOut):
        ask({"do": "echo", "say": "x" * 1_000_000}, ChildLimits(time_s=0.5), habit="deaf")


def test_a_crash_after_the_answer_is_a_crash():
    with pytest.raises(WorkerCrashed):
        ask({"do": "echo", "say": 1}, habit="crashes at its end")


def test_a_worker_that_never_ends_times_out():
    with pytest.raises(WorkerTimedOut):
        ask({"do": "echo", "say": 1}, ChildLimits(time_s=1.0), habit="never ends")


def test_an_error_code_brings_the_last_line_of_stderr():
    with pytest.raises(WorkerFailed) as caught:
        ask({"do": "exit", "code": 3})
    assert caught.value.reason == "It ended with code 3. no more paper"
    assert (caught.value.kind, caught.value.fields) == ("", {})


def test_an_end_without_an_answer_is_a_failure():
    with pytest.raises(WorkerFailed, match="without an answer"):
        ask({"do": "exit", "code": 0})


def test_a_worker_that_cannot_be_started_is_a_failure(tmp_path: Path):
    with pytest.raises(WorkerFailed, match="No such file"):
        ask_worker("ghost", None, LIMITS, command=lambda name: [str(tmp_path / name)])


def test_what_is_not_json_is_a_failure():
    with pytest.raises(WorkerFailed, match="not JSON"):
        ask(None, habit="talks nonsense")


def test_an_endless_answer_is_cut(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(child_process, "MAX_ANSWER_BYTES", 1 << 20)
    with pytest.raises(WorkerFailed, match="too long"):
        ask(None, habit="talks without end")


def test_a_named_error_brings_its_fields():
    with pytest.raises(WorkerFailed) as caught:
        ask({"do": "return an error"})
    error = caught.value
    assert (error.kind, error.reason) == ("NotAModel", "it is a projector")
    assert error.fields == {"reason": "it is a projector", "n": 3}
    assert "it is a projector" in error.what


def test_an_error_that_the_worker_raises_brings_its_name_and_fields():
    with pytest.raises(WorkerFailed) as caught:
        ask({"do": "refuse"})
    assert (caught.value.kind, caught.value.fields) == ("ResourceMissing", {"name": "icons/beer.svg"})
    assert "icons/beer.svg" in caught.value.reason
    with pytest.raises(WorkerFailed) as caught:
        ask({"do": "fail"})
    assert (caught.value.kind, caught.value.reason) == ("ZeroDivisionError", "twice")


def test_memory_is_limited():
    limits = ChildLimits(time_s=30.0, memory_bytes=512 << 20)
    assert ask({"do": "allocate", "bytes": 1 << 20}, limits) == 1 << 20
    with pytest.raises(WorkerFailed) as caught:
        ask({"do": "allocate", "bytes": 1 << 30}, limits)
    assert caught.value.kind == "MemoryError"


def test_a_cancelled_question_ends_at_once():
    cancel = CancelToken()
    timer = Timer(0.3, cancel.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        ask({"do": "hang"}, cancel=cancel)
    assert time.monotonic() - started < 10.0
    timer.join()
    with pytest.raises(Cancelled):
        ask({"do": "echo", "say": 1}, cancel=cancel)


def test_stray_output_does_not_get_between_the_answers():
    assert ask({"do": "print"}) == {"stdin": ""}


def test_a_worker_leaves_no_core_and_hears_no_ctrl_c():
    assert ask({"do": "limits"}) == [0, 0, True]


def test_a_worker_inherits_no_open_files(tmp_path: Path):
    with (tmp_path / "secret").open("w") as secret:
        before = ask({"do": "fds"})
        os.set_inheritable(secret.fileno(), True)
        assert ask({"do": "fds"}) == before


def test_a_killed_worker_takes_its_children_along():
    worker = WorkerProcess("none", LIMITS, command=command)
    pid = worker.ask({"do": "have a child"})
    assert isinstance(pid, int)
    assert is_alive(pid)
    with pytest.raises(WorkerTimedOut):
        worker.ask({"do": "hang"}, timeout_s=0.2)
    wait_until(lambda: not is_alive(pid))
    worker.close()


def test_a_persistent_worker_answers_many_questions_from_one_process():
    worker = WorkerProcess("none", LIMITS, command=command)
    worker.start()
    pid = worker.ask({"do": "pid"})
    assert all(worker.ask({"do": "pid"}) == pid for _ in range(5))
    with pytest.raises(WorkerFailed):
        worker.ask({"do": "fail"})
    assert worker.ask({"do": "pid"}) == pid
    worker.close()


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ({"do": "segfault"}, WorkerCrashed),
        ({"do": "abort"}, WorkerAborted),
        ({"do": "hang"}, WorkerTimedOut),
        ({"do": "exit", "code": 0}, WorkerFailed),
    ],
)
def test_a_persistent_worker_is_started_again_after_it_broke(question: Json, error: type[Exception]):
    worker = WorkerProcess("none", LIMITS, command=command)
    first = worker.ask({"do": "pid"})
    with pytest.raises(error):
        worker.ask(question, timeout_s=0.5)
    assert worker.ask({"do": "pid"}) != first
    worker.close()


def test_a_persistent_worker_that_died_between_questions_is_not_missed():
    worker = WorkerProcess("none", LIMITS, command=command)
    pid = worker.ask({"do": "pid"})
    assert isinstance(pid, int)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(pid))
    assert worker.ask({"do": "echo", "say": "well"}) == "well"
    worker.close()


def test_a_cancelled_question_does_not_disturb_the_next():
    worker = WorkerProcess("none", LIMITS, command=command)
    cancel = CancelToken()
    assert worker.ask({"do": "echo", "say": 1}, cancel=cancel) == 1
    pid = worker.ask({"do": "pid"})
    cancel.cancel()
    assert worker.ask({"do": "pid"}) == pid
    with pytest.raises(Cancelled):
        worker.ask({"do": "hang"}, cancel=cancel)
    worker.close()


def test_questions_from_several_threads_take_turns():
    worker = WorkerProcess("none", LIMITS, command=command)
    answers: dict[int, Json] = {}

    def ask_many(who: int) -> None:
        answers[who] = [worker.ask({"do": "echo", "say": [who, n]}) for n in range(20)]

    threads = [Thread(target=ask_many, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {who: [[who, n] for n in range(20)] for who in range(4)}
    worker.close()


def test_closing_ends_the_process_and_a_question_that_waits():
    worker = WorkerProcess("none", LIMITS, command=command)
    pid = worker.ask({"do": "pid"})
    assert isinstance(pid, int)
    caught: list[BaseException] = []

    def hang() -> None:
        try:
            worker.ask({"do": "hang"})
        except Cancelled as error:
            caught.append(error)

    thread = Thread(target=hang)
    thread.start()
    time.sleep(0.2)
    worker.close()
    thread.join(10.0)
    assert len(caught) == 1
    assert not is_alive(pid)
    with pytest.raises(Cancelled):
        worker.ask({"do": "echo", "say": 1})


def test_a_worker_outlives_the_thread_that_asked_first():
    worker = WorkerProcess("none", LIMITS, command=command)
    pids: list[Json] = []
    thread = Thread(target=lambda: pids.append(worker.ask({"do": "pid"})))
    thread.start()
    thread.join()
    time.sleep(0.1)
    assert worker.ask({"do": "pid"}) == pids[0]
    worker.close()


@pytest.mark.parametrize("do", ["hang", "hang holding the GIL"])
def test_workers_die_with_a_parent_that_is_killed(do: str):
    parent_program = f"""
import sys, threading
sys.path.insert(0, {str(PROGRAM.parent)!r})
from quern.base import ChildLimits, WorkerProcess
worker = WorkerProcess("none", ChildLimits(600.0), command=lambda name: [sys.executable, {str(PROGRAM)!r}, name])
print(worker.ask({{"do": "pid"}}), flush=True)
worker.ask({{"do": {do!r}}})
"""
    with subprocess.Popen([sys.executable, "-c", parent_program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        time.sleep(0.3)
        assert is_alive(pid)
        parent.kill()
    wait_until(lambda: not is_alive(pid))


def test_workers_are_this_python_and_in_a_bundle_the_bundle(monkeypatch: pytest.MonkeyPatch):
    assert worker_command("trial") == (sys.executable, "-P", "-m", "quern", "--worker", "trial")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert worker_command("trial") == (sys.executable, "--worker", "trial")
