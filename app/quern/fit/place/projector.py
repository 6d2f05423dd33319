"""What a multimodal projector takes: llama.cpp's own account of it, in a child."""

from pathlib import Path

from quern.base import CancelToken, Json
from quern.fit.errors import FitUnknown
from quern.fit.measure.dry_run import ask
from quern.fit.need import Needs
from quern.hardware import EngineInfo
from quern.spec import LoadSettings


def projector_needs(
    path: Path, settings: LoadSettings, engine: EngineInfo, cancel: CancelToken | None
) -> dict[str, Needs]:
    """Return what the projector at `path` takes of each device: weights, and compute for one image.

    It goes to the first GPU wherever the model uses one. Raises FitUnknown and Cancelled.
    """
    has_gpus = bool(engine.gpu_devices)
    uses_gpu = has_gpus and settings.n_gpu_layers != 0
    question: Json = {"projector": str(path), "uses_gpu": uses_gpu, "n_threads": settings.n_threads or 1}
    match ask(question, has_gpus=has_gpus, cancel=cancel):
        case {"devices": dict() as devices}:
            return {name: Needs(projector=n_bytes) for name, n_bytes in devices.items() if isinstance(n_bytes, int)}
        case _:
            raise FitUnknown("what llama.cpp said of its projector cannot be understood")
