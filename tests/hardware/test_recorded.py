"""Machines of every kind, from their systems' files and answers to the gap that is told and what to do about it."""

from pathlib import Path

import pytest

from quern.hardware import GapWeight, detect_machine, gaps_of, gpu_fallback

from .recorded import linux_nvidia, linux_other, windows_and_mac
from .recorded.machine import Recorded, Told

MACHINES = (*linux_nvidia.MACHINES, *linux_other.MACHINES, *windows_and_mac.MACHINES)


@pytest.mark.parametrize("recorded", MACHINES, ids=lambda recorded: recorded.name)
def test_a_machine_is_found_as_it_is_and_its_gaps_are_told(recorded: Recorded, tmp_path: Path) -> None:
    machine = detect_machine(recorded.build(tmp_path))
    assert machine.place == recorded.place
    assert machine.memory == recorded.memory
    assert machine.gpus == recorded.gpus
    gaps = gaps_of(machine, recorded.engine)
    told = tuple(
        Told(cause=gap.cause, sentence=gap.sentence, command=gap.command, is_note=gap.weight is GapWeight.NOTE)
        for gap in gaps
    )
    assert told == recorded.gaps
    assert all(gap.advice.endswith(".") for gap in gaps)
    fallback = gpu_fallback(machine, recorded.engine)
    assert (None if fallback is None else fallback.cause) == recorded.fallback


def test_the_machines_differ() -> None:
    assert len({recorded.build for recorded in MACHINES}) >= 24
    assert len({recorded.name for recorded in MACHINES}) == len(MACHINES)
