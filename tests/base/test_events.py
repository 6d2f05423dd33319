"""Publishers call who listens, in order, in the publishing thread."""

from quern.base import Publisher


def test_subscribers_hear_events_in_the_order_in_which_they_came():
    publisher: Publisher[int] = Publisher()
    heard: list[tuple[str, int]] = []
    publisher.subscribe(lambda event: heard.append(("first", event)))
    publisher.subscribe(lambda event: heard.append(("second", event)))
    publisher.publish(7)
    assert heard == [("first", 7), ("second", 7)]


def test_who_unsubscribes_hears_nothing_more():
    publisher: Publisher[int] = Publisher()
    heard: list[int] = []
    unsubscribe = publisher.subscribe(heard.append)
    publisher.publish(1)
    unsubscribe()
    unsubscribe()
    publisher.publish(2)
    assert heard == [1]


def test_a_subscriber_may_unsubscribe_while_it_is_called():
    publisher: Publisher[int] = Publisher()
    heard: list[int] = []

    def once(event: int) -> None:
        heard.append(event)
        unsubscribe()

    unsubscribe = publisher.subscribe(once)
    publisher.publish(1)
    publisher.publish(2)
    assert heard == [1]
