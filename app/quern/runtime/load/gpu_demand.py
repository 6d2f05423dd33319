"""Refuses to load a model on the CPU alone where the person demands a GPU (setting `load.require_gpu`)."""

from collections.abc import Callable
from dataclasses import dataclass

from quern.base import QuernError
from quern.hardware import EngineInfo, Machine, detect_machine, gpu_fallback
from quern.settings import Settings

SETTING = "load.require_gpu"


@dataclass(eq=False)
class GpuRequired(QuernError):
    """A model would run on the CPU only; `reason` is a sentence that says why."""

    reason: str

    sentence = "Quern is set to load models only where a GPU computes. {reason}"
    advice = 'The Machine page says what to do about it; or switch "Require a GPU" off in Settings.'


def check_gpu_demand(
    settings: Settings, engine: EngineInfo | QuernError, detect: Callable[[], Machine] = detect_machine
) -> None:
    """Raise GpuRequired where a GPU is demanded and a model would run without; the machine is asked only then for why.

    `engine` is the answer of `quern.hardware.ask_engine`, or the error that it raised.
    """
    if settings.get(SETTING) is True and (_keeps_to_cpu(settings) or not _sees_gpu(engine)):
        require_gpu(detect(), engine, settings)


def require_gpu(machine: Machine, engine: EngineInfo | QuernError, settings: Settings) -> None:
    """Do the work of `check_gpu_demand` with a machine at hand. Raises GpuRequired."""
    if settings.get(SETTING) is not True:
        return
    if _keeps_to_cpu(settings):
        raise GpuRequired("The settings keep all layers on the CPU.")
    if _sees_gpu(engine):
        return
    gap = gpu_fallback(machine, engine)
    if gap is not None:
        raise GpuRequired(gap.sentence)
    raise GpuRequired("No GPU was found here that the engine can use.")


def _keeps_to_cpu(settings: Settings) -> bool:
    return settings.load.n_gpu_layers == 0


def _sees_gpu(engine: EngineInfo | QuernError) -> bool:
    return not isinstance(engine, QuernError) and bool(engine.gpu_devices)
