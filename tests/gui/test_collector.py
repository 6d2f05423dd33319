"""Cycles are collected in the main thread only, and still collected."""

import gc
import weakref

from PySide6.QtWidgets import QApplication

from quern.gui.collector import MainThreadCollector


class Knot:
    """Holds itself."""

    def __init__(self) -> None:
        self.myself = self


def test_collection_is_ours_until_it_stops(qapp: QApplication) -> None:
    collector = MainThreadCollector(qapp)
    assert not gc.isenabled()
    knot = Knot()
    gone = weakref.ref(knot)
    del knot
    collector.stop()
    assert gone() is None
    assert gc.isenabled()
    gc.disable()


def test_what_is_due_is_collected(qapp: QApplication) -> None:
    collector = MainThreadCollector(qapp)
    gc.collect()
    assert collector.collect_due() is None
    knots = [Knot() for _ in range(gc.get_threshold()[0] * 2)]
    assert collector.collect_due() == 0
    del knots
    collector.stop()
    gc.disable()
