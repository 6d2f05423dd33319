"""DB-01: a process killed in mid-reply, at ten moments: nothing said is lost, of the reply at most the last second."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quern.base import Database, Home
from quern.chat import TABLES, ConversationStore, MessageState, Role

KILLS = 10
# What may be missing: the last second of text, and half a second for a machine that is busy with other things.
MAY_BE_LOST_S = 1.5
PROMPT = "Tell me a very long story about a mountain village, in many chapters."


def kill_in_mid_reply(environ: dict[str, str], after_s: float) -> tuple[int, list[tuple[float, str]], float]:
    """Kill -9 a talker `after_s` seconds into its reply; return the conversation, what it said when, the end."""
    command = [sys.executable, "-m", "tests.journeys.talker", PROMPT]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        conversation = json.loads(process.stdout.readline())["conversation"]
        said: list[tuple[float, str]] = []
        deadline: float | None = None
        for line in process.stdout:
            piece = json.loads(line)
            said.append((piece["t"], piece["text"]))
            deadline = deadline or time.monotonic() + after_s
            if time.monotonic() >= deadline:
                break
        killed_s = time.monotonic()
        process.send_signal(signal.SIGKILL)
        said += [(json.loads(line)["t"], json.loads(line)["text"]) for line in process.stdout if line.endswith("}\n")]
    assert process.returncode == -signal.SIGKILL
    return conversation, said, killed_s


@pytest.mark.usefixtures("starter_model")
def test_a_kill_in_mid_reply_loses_at_most_the_last_second(own_home: Path) -> None:
    """DB-01."""
    environ = os.environ | {"QUERN_HOME": str(own_home)}
    home = Home(own_home)
    moments = random.Random(1)
    for _ in range(KILLS):
        conversation, said, killed_s = kill_in_mid_reply(environ, moments.uniform(0.05, 2.5))
        with sqlite3.connect(home.database) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
        database = Database.open(home.database, (TABLES,), home.backups)
        store = ConversationStore(database)
        store.settle_interrupted()
        question, reply = store.path(conversation)
        database.close()
        assert (question.role, question.content) == (Role.USER, PROMPT)
        assert (reply.role, reply.state) == (Role.ASSISTANT, MessageState.STOPPED)
        old = max((text for t, text in said if t < killed_s - MAY_BE_LOST_S), key=len, default="")
        assert len(reply.content) >= len(old)
        assert said[-1][1].startswith(reply.content)
