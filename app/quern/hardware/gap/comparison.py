"""Holds the hardware against the engine and names every difference."""

from collections.abc import Iterator
from dataclasses import replace

from quern.base import QuernError, WorkerAborted, WorkerCrashed, WorkerFailed, WorkerTimedOut
from quern.hardware.engine_device import EngineInfo
from quern.hardware.gpu import Gpu
from quern.hardware.machine import Machine
from quern.hardware.system_info import feature_name, unused_features

from .device_gap import device_gap
from .fault_gap import fault_gap
from .gap import Gap, GapCause, GapWeight
from .remedy import WHERE, install_command


def gaps_of(machine: Machine, engine: EngineInfo | QuernError) -> tuple[Gap, ...]:
    """Return where `machine` and the engine differ, the most basic first; a QuernError is why it cannot be asked."""
    return tuple(_gaps(machine, engine))


def gpu_fallback(machine: Machine, engine: EngineInfo | QuernError) -> Gap | None:
    """Return why models run on the CPU although there is a GPU worth using; None where they do not, or there is none.

    Its sentence and advice are what a banner says.
    """
    if not isinstance(engine, QuernError) and engine.gpu_devices:
        return None
    if all(gpu.is_modest for gpu in machine.gpus):
        return None
    losses = (gap for gap in gaps_of(machine, engine) if gap.weight is GapWeight.LOSS)
    return next((gap for gap in losses if gap.cause is not GapCause.CPU_FEATURES_UNUSED), None)


def _gaps(machine: Machine, engine: EngineInfo | QuernError) -> Iterator[Gap]:
    if isinstance(engine, QuernError):
        yield _engine_gap(machine, engine)
    if machine.place.is_translated:
        yield _TRANSLATED
    for label, gpu in _kinds(_worth_telling(machine.gpus)):
        if gpu.fault is not None:
            yield fault_gap(label, gpu, gpu.fault, machine.place)
        elif not isinstance(engine, QuernError):
            gap = device_gap(label, gpu, engine, machine.place)
            if gap is not None:
                yield gap
    if not isinstance(engine, QuernError) and not engine.gpu_devices:
        yield from _cpu_gaps(machine, engine)


def _worth_telling(gpus: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """Return `gpus` without the small integrated ones where there are others: nobody would compute on those."""
    return tuple(gpu for gpu in gpus if not gpu.is_modest) or gpus


def _kinds(gpus: tuple[Gpu, ...]) -> Iterator[tuple[str, Gpu]]:
    """Yield each kind of GPU once, with its name, or "2 × NAME" where cards differ only in their address and load."""
    kinds: dict[Gpu, list[Gpu]] = {}
    for gpu in gpus:
        kinds.setdefault(replace(gpu, address=None, free=None), []).append(gpu)
    for alike in kinds.values():
        yield (f"{len(alike)} × {alike[0].name}" if len(alike) > 1 else alike[0].name), alike[0]


_TRANSLATED = Gap(
    cause=GapCause.TRANSLATED,
    sentence="This Python was built for Intel and runs translated; the engine cannot use the processor's own kernels.",
    advice="Install Python for Apple silicon (arm64), and Quern with it.",
)


def _engine_gap(machine: Machine, error: QuernError) -> Gap:
    if isinstance(error, WorkerFailed) and error.kind == "LibraryMissing":
        return _library_gap(machine, error.reason)
    is_sudden = isinstance(error, WorkerCrashed | WorkerAborted | WorkerTimedOut)
    return Gap(
        cause=GapCause.ENGINE_FAILED,
        sentence=f"The engine cannot be asked which devices it sees. {error.what}",
        advice=_DRIVER_ADVICE if is_sudden else error.next_step,
    )


_DRIVER_ADVICE = "A driver in trouble does that: restart the computer and update the driver."


def _library_gap(machine: Machine, reason: str) -> Gap:
    """`reason` is the loader's sentence; a CUDA build does not even load without NVIDIA's driver (libcuda)."""
    advice = f"Install the engine anew with this command {WHERE}."
    if "libcuda" in reason:
        advice = (
            f"Install NVIDIA's driver, which is not here; or an engine that does without, with this command {WHERE}."
        )
    return Gap(
        cause=GapCause.ENGINE_FAILED,
        sentence=reason,
        advice=advice,
        command=install_command(machine.place, ""),
    )


def _cpu_gaps(machine: Machine, engine: EngineInfo) -> Iterator[Gap]:
    """A build from source is made for the CPU that it is built on (GGML_NATIVE)."""
    unused = unused_features(machine.cpu.features, engine.system_info)
    if not unused or not engine.system_info:
        return
    yield Gap(
        cause=GapCause.CPU_FEATURES_UNUSED,
        sentence=f"This engine build does not use what the CPU can: {', '.join(map(feature_name, unused))}.",
        advice=f"For a build that does, run this command {WHERE}; it needs a C++ compiler.",
        command=install_command(machine.place, engine.version, "-DGGML_NATIVE=on"),
        weight=GapWeight.LOSS if "avx2" in unused else GapWeight.NOTE,
    )
