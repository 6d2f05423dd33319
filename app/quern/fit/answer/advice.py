"""What would help a model that does not fit: each step alone, and where none is enough, the fewest together."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from quern.fit.report import Advice, AdviceKind
from quern.fit.room import HOST
from quern.spec import LoadSettings

from .attempt import Attempts, Outcome
from .leeway import Leeway
from .quantization import smaller_quantization
from .step import PROPOSALS, Step, more_gpu_layers

_SEPARATOR = " + "


def advise(attempts: Attempts, settings: LoadSettings, leeway: Leeway) -> tuple[Advice, ...]:
    """Return what helps, most harmless first; nothing where it fits as it is, except more of it on an idle GPU.

    A step helps if it gains bytes on the device that lacks most and if all devices together lack less. Gains are what
    the estimator says. Raises FitUnknown, DeviceGone.
    """
    found = attempts.outcome(settings)
    if found.fits:
        faster = more_gpu_layers(attempts, settings, leeway)
        return () if faster is None else tuple(_speed_up(attempts, found, faster))
    advice = list(_single_steps(attempts, settings, found, leeway))
    if not any(step.fits for step in advice):
        advice += _combination(attempts, settings, found, leeway)
    return (*advice, *_outside_steps(found, leeway))


def _single_steps(attempts: Attempts, settings: LoadSettings, found: Outcome, leeway: Leeway) -> Iterator[Advice]:
    for propose in PROPOSALS:
        step = propose(attempts, settings, leeway)
        after = None if step is None else attempts.attempt(step.settings)
        if step is not None and after is not None and _helps(found, after):
            yield _advice(step, found, after)


def _helps(before: Outcome, after: Outcome) -> bool:
    return _gain(before, after) > 0 and after.lack < before.lack


def _gain(before: Outcome, after: Outcome) -> int:
    """Bytes less on the device that lacked most."""
    return after.of(before.worst.room.device).left - before.worst.left


def _advice(step: Step, before: Outcome, after: Outcome) -> Advice:
    return Advice(
        kind=step.kind,
        device=before.worst.room.device,
        gain=_gain(before, after),
        detail=step.detail,
        fits=after.fits,
        settings=step.settings,
    )


def _speed_up(attempts: Attempts, found: Outcome, step: Step) -> Iterator[Advice]:
    after = attempts.attempt(step.settings)
    if after is not None and after.fits:
        gain = after.of(HOST).left - found.of(HOST).left
        yield Advice(kind=step.kind, device=HOST, gain=gain, detail=step.detail, fits=True, settings=step.settings)


def _combination(attempts: Attempts, settings: LoadSettings, found: Outcome, leeway: Leeway) -> Iterator[Advice]:
    """Take one step after the other until it fits, then leave out what was not needed, the most harmful first.

    It is given as one advice of the first step's kind, with the further steps in its detail.
    """
    taken = _enough_steps(attempts, settings, leeway)
    if taken is None:
        return
    for step in reversed(list(taken)):
        without = {other: change for other, change in taken.items() if other is not step}
        if attempts.fits(_all_taken(settings, without)):
            taken = without
    steps = list(taken)
    after = attempts.outcome(_all_taken(settings, taken))
    words = [steps[0].detail, *(_words(step) for step in steps[1:])]
    whole = Step(steps[0].kind, _SEPARATOR.join(filter(None, words)), _all_taken(settings, taken))
    yield _advice(whole, found, after)


Change = dict[str, Any]  # changed fields of LoadSettings


def _enough_steps(attempts: Attempts, settings: LoadSettings, leeway: Leeway) -> dict[Step, Change] | None:
    """Return steps that fit together, with the settings that each of them changed; None where all are too few."""
    taken: dict[Step, Change] = {}
    now = settings
    for propose in PROPOSALS:
        step = propose(attempts, now, leeway)
        after = None if step is None else attempts.attempt(step.settings)
        if step is None or after is None or after.lack >= attempts.outcome(now).lack:
            continue
        taken[step] = _change(now, step.settings)
        now = step.settings
        if after.fits:
            return taken
    return None


def _change(before: LoadSettings, after: LoadSettings) -> Change:
    names = [field.name for field in fields(LoadSettings)]
    return {name: getattr(after, name) for name in names if getattr(after, name) != getattr(before, name)}


def _all_taken(settings: LoadSettings, taken: dict[Step, Change]) -> LoadSettings:
    for change in taken.values():
        settings = replace(settings, **change)
    return settings


def _words(step: Step) -> str:
    return f"{step.kind.value.replace('_', ' ')} {step.detail}".strip()


def _outside_steps(found: Outcome, leeway: Leeway) -> Iterator[Advice]:
    """Steps that are none of settings."""
    worst = found.worst
    gains = {device.room.device: max(0, device.room.own - device.room.reclaimable) for device in found.devices}
    if gains[worst.room.device]:
        fits = all(device.spare + gains[device.room.device] >= 0 for device in found.devices)
        yield _outside(AdviceKind.UNLOAD_OTHERS, found, gains[worst.room.device], "", fits)
    smaller = smaller_quantization(found, leeway)
    if smaller is not None:
        yield _outside(AdviceKind.SMALLER_QUANTIZATION, found, smaller[1], smaller[0], True)


def _outside(kind: AdviceKind, found: Outcome, gain: int, detail: str, fits: bool) -> Advice:
    return Advice(kind=kind, device=found.worst.room.device, gain=gain, detail=detail, fits=fits, settings=None)
