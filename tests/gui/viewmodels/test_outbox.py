"""Sending without a window: waiting for the model, stopping, and what is said when it cannot be done."""

from quern.base import DiskFull, QuernError
from quern.engine import EngineBroken
from quern.gui.viewmodels.failure import Failure, Fix
from tests.gui.conftest import Place
from tests.gui.ear import Ear
from tests.gui.stand_in import model_entry


def test_stop_keeps_what_there_was(place: Place) -> None:
    place.open()
    place.app.script.pause_after = 2
    place.desk.outbox.send("Talk")
    place.qtbot.waitUntil(lambda: (live := place.desk.feed.live(place.desk.chat.id)) is not None and live.has_text)
    place.desk.outbox.stop()
    place.qtbot.waitUntil(lambda: not place.desk.outbox.is_running)
    last = place.desk.chat.messages[-1]
    assert (last.state.value, last.content) == ("stopped", "Hello there")


def test_a_message_sent_while_the_model_loads_goes_out_when_it_is_ready(place: Place) -> None:
    place.app.residency.hold.clear()
    place.desk.start()
    place.qtbot.waitUntil(lambda: place.desk.shelf.is_loading)
    place.desk.outbox.send("Early")
    assert place.desk.outbox.held is not None
    assert place.app.engine.requests == []
    place.app.residency.hold.set()
    place.qtbot.waitUntil(lambda: len(place.desk.chat.messages) == 2 and not place.desk.outbox.is_running)
    assert place.desk.chat.messages[0].content == "Early"


def test_a_held_message_can_be_taken_back(place: Place) -> None:
    place.app.residency.hold.clear()
    place.desk.start()
    place.qtbot.waitUntil(lambda: place.desk.shelf.is_loading)
    place.desk.outbox.send("Early")
    place.desk.outbox.stop()
    place.app.residency.hold.set()
    place.qtbot.waitUntil(lambda: place.desk.shelf.resident is not None and not place.desk.shelf.is_loading)
    place.qtbot.wait(50)
    assert place.desk.chat.messages == ()


def test_without_a_model_sending_says_what_is_missing(place: Place) -> None:
    place.app.library.entries = []
    place.open()
    told: list[Failure] = []
    place.desk.outbox.failed.connect(told.append)
    place.desk.outbox.send("Anyone?")
    assert told[0].fixes == (Fix.MODELS,)


def test_a_model_without_a_template_offers_those_of_quern(place: Place) -> None:
    """TM-13: pick a built-in template."""
    place.app.residency.template = None
    place.open()
    told: list[Failure] = []
    place.desk.outbox.failed.connect(told.append)
    place.desk.outbox.send("Hello?")
    assert told[0].fixes[0] is Fix.PICK_TEMPLATE
    place.desk.outbox.pick_template("chatml")
    place.say("Hello?")
    assert place.desk.chat.messages[-1].content == "Hello there."


def test_a_failing_engine_is_told_and_the_reply_kept(place: Place) -> None:
    place.open()
    place.app.script.error = EngineBroken("it stopped")
    told: list[Failure] = []
    place.desk.outbox.failed.connect(told.append)
    place.desk.outbox.send("Talk")
    place.qtbot.waitUntil(lambda: bool(told))
    assert told[0].fixes == (Fix.REGENERATE,)
    assert place.desk.chat.messages[-1].state == "failed"
    assert place.desk.chat.messages[-1].content == "Hello there."


def test_too_long_a_prompt_offers_a_new_chat_and_a_larger_context(place: Place) -> None:
    place.open()
    told: list[Failure] = []
    place.desk.outbox.failed.connect(told.append)
    place.desk.outbox.send("word " * 5000)
    place.qtbot.waitUntil(lambda: bool(told))
    assert told[0].fixes == (Fix.NEW_CHAT, Fix.LARGER_CONTEXT)
    assert "5,0" in told[0].what


def test_a_message_that_cannot_be_stored_is_not_lost(place: Place) -> None:
    """DB-01, the window's half: the composer keeps the text."""
    place.open()
    told: list[Failure] = []
    accepted: list[bool] = []
    place.desk.outbox.failed.connect(told.append)
    place.desk.outbox.accepted.connect(lambda: accepted.append(True))

    def refuse(*_arguments: object, **_named: object) -> None:
        raise DiskFull(place.app.home.database)

    place.app.store.create = refuse  # pyright: ignore[reportAttributeAccessIssue]
    place.desk.outbox.send("Keep me")
    place.qtbot.waitUntil(lambda: bool(told))
    assert accepted == []
    assert told[0].fixes == (Fix.RETRY,)
    assert not place.desk.outbox.is_running


def test_tokens_that_would_be_sent_are_counted(place: Place) -> None:
    place.open()
    counts = Ear(place.desk.counter.counted)
    place.desk.counter.change("four words of draft")
    place.qtbot.waitUntil(lambda: (5, 4096) in counts.heard)


def test_a_load_that_fails_says_why_and_can_be_repeated(place: Place) -> None:
    class Refused(QuernError):
        sentence = "It does not fit."
        advice = "Choose a smaller one."

    place.app.residency.error = Refused()
    told: list[Failure] = []
    place.desk.shelf.failed.connect(told.append)
    place.desk.start()
    place.qtbot.waitUntil(lambda: bool(told))
    assert told[0] == Failure("It does not fit.", "Choose a smaller one.", (Fix.RETRY, Fix.MODELS))
    assert not place.desk.shelf.is_loading
    place.app.residency.error = None
    place.desk.load(model_entry())
    place.qtbot.waitUntil(lambda: place.desk.shelf.resident is not None)


def test_loading_can_be_cancelled_without_an_error(place: Place) -> None:
    place.app.residency.hold.clear()
    told: list[Failure] = []
    place.desk.shelf.failed.connect(told.append)
    place.desk.start()
    place.qtbot.waitUntil(lambda: place.desk.shelf.is_loading)
    place.desk.shelf.cancel_load()
    place.qtbot.waitUntil(lambda: not place.desk.shelf.is_loading)
    assert told == []
    assert place.desk.shelf.resident is None
