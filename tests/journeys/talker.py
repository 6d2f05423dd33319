"""A process that lets the starter model talk and says on stdout what has arrived, to be killed in mid-reply.

Usage: python -m tests.journeys.talker PROMPT. Prints `{"conversation": id}` first, then one JSON line
`{"t": seconds, "text": "all of the reply so far"}` for every piece of reply.
"""

import json
import sys
import time

from quern.base import Home
from quern.runtime import App, ReplyGrew, TurnEvent
from quern.spec import LoadSettings, SamplingParams


def main(prompt: str) -> None:
    """Open the data folder that QUERN_HOME names, load the starter model and say `prompt` to it."""
    app = App.open(Home.locate(), "test")
    app.open_storage()
    resident = app.residency.load(app.library.find("SmolLM2"), LoadSettings()).wait(120)
    assert resident.template is not None
    conversation = app.store.create(title="journey")
    print(json.dumps({"conversation": conversation.id}), flush=True)
    text = ""

    def hear(event: TurnEvent) -> None:
        nonlocal text
        if isinstance(event, ReplyGrew):
            text += event.content_delta
            print(json.dumps({"t": time.monotonic(), "text": text}), flush=True)

    sampling = SamplingParams(temperature=0.0, max_tokens=1500)
    turn = app.turns.send(conversation.id, prompt, resident.engine, resident.template, sampling, resident.entry.name)
    turn.events.subscribe(hear)
    turn.wait()
    app.close()


if __name__ == "__main__":
    main(sys.argv[1])
