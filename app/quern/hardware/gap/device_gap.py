"""What keeps the engine from a GPU that its driver can use."""

from quern.hardware.engine_device import EngineInfo
from quern.hardware.engine_match import CUDA, backends_for, device_of
from quern.hardware.gpu import Gpu, Vendor
from quern.hardware.place import Place
from quern.hardware.system_info import cuda_targets

from .gap import Gap, GapCause, GapWeight
from .remedy import WHERE, install_command, remedy_for

# Which variables hide a backend's devices.
_HIDING = {
    "CUDA": ("CUDA_VISIBLE_DEVICES",),
    "ROCm": ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
    "Vulkan": ("GGML_VK_VISIBLE_DEVICES",),
    "SYCL": ("ONEAPI_DEVICE_SELECTOR",),
}
_TOO_OLD = "driver version is insufficient"  # cudaGetErrorString(cudaErrorInsufficientDriver)


def device_gap(label: str, gpu: Gpu, engine: EngineInfo, place: Place) -> Gap | None:
    """Return what keeps `engine` from `gpu`, which its driver can use; None where it uses it.

    A small integrated GPU that stands idle beside another one is none: llama.cpp leaves it out on purpose.
    """
    device = device_of(gpu, engine)
    backends = backends_for(gpu, engine)
    if device is not None:
        return _target_gap(label, gpu, engine, place) if device.backend == CUDA else None
    if gpu.is_modest and engine.gpu_devices:
        return None
    if not backends:
        return _backend_gap(label, gpu, engine, place)
    if backends[0] == CUDA and _is_driver_too_old(gpu, engine):
        return _driver_gap(label, gpu, engine, place)
    return _hidden_gap(label, backends, engine, place) or _device_gap(label, gpu, engine, place)


def _backend_gap(label: str, gpu: Gpu, engine: EngineInfo, place: Place) -> Gap:
    remedy = remedy_for(gpu)
    about = [f"driver {gpu.driver}"] if gpu.driver else []
    about += [f"({gpu.platform})" if about else gpu.platform] if gpu.platform else []
    known = f", {' '.join(about)}" if about else ""
    return Gap(
        cause=GapCause.BACKEND_MISSING,
        sentence=f"{label} found{known}; this engine build has no {remedy.backend}.",
        advice=f"Install {remedy.needs}, run this command {WHERE}, and start Quern again.",
        command=install_command(place, engine.version, remedy.option),
        weight=GapWeight.NOTE if gpu.is_modest else GapWeight.LOSS,
    )


def _is_driver_too_old(gpu: Gpu, engine: EngineInfo) -> bool:
    """A driver runs programs of its own CUDA's major version and of older ones (CUDA compatibility guide)."""
    runs, needs = _major((gpu.platform or "").removeprefix("CUDA ")), _major(engine.cuda_runtime or "")
    return _TOO_OLD in engine.complaint or (runs is not None and needs is not None and runs < needs)


def _driver_gap(label: str, gpu: Gpu, engine: EngineInfo, place: Place) -> Gap:
    runs = gpu.platform or "an older CUDA"
    needs = f"CUDA {engine.cuda_runtime}" if engine.cuda_runtime else "a newer CUDA"
    driver = f"its driver {gpu.driver}" if gpu.driver else "its driver"
    remedy = remedy_for(gpu)
    return Gap(
        cause=GapCause.DRIVER_TOO_OLD,
        sentence=f"{label} found, but {driver} runs {runs}; this engine build needs {needs}.",
        advice=f"Update the NVIDIA driver. If that cannot be, install {remedy.needs} and run this command {WHERE}.",
        command=install_command(place, engine.version, remedy.option),
    )


def _target_gap(label: str, gpu: Gpu, engine: EngineInfo, place: Place) -> Gap | None:
    """Kernels of newer targets do not run on an older card; a newer card compiles the newest kernels for itself."""
    targets = cuda_targets(engine.system_info)
    if gpu.vendor is not Vendor.NVIDIA or gpu.target is None or not targets:
        return None
    major, _, minor = gpu.target.partition(".")
    own = int(major) * 100 + int(minor or "0") * 10
    if own >= min(targets):
        return None
    oldest = f"{min(targets) // 100}.{min(targets) % 100 // 10}"
    option = f"-DCMAKE_CUDA_ARCHITECTURES={own // 10}"
    return Gap(
        cause=GapCause.TARGET_MISSING,
        sentence=f"{label} has compute capability {gpu.target}; this engine build has kernels for {oldest} and newer.",
        advice=f"With a CUDA Toolkit that still knows the card, run this command {WHERE}.",
        command=install_command(place, engine.version, "-DGGML_CUDA=on", option),
    )


def _hidden_gap(label: str, backends: tuple[str, ...], engine: EngineInfo, place: Place) -> Gap | None:
    names = {name for backend in backends for name in _HIDING.get(backend, ())}
    setting = next((text for text in engine.hidden_by if text.partition("=")[0] in names), None)
    if setting is None:
        return None
    name = setting.partition("=")[0]
    return Gap(
        cause=GapCause.DEVICE_HIDDEN,
        sentence=f"The environment variable {setting} hides {label} from the engine.",
        advice="Take it away where it is set, and start Quern again.",
        command=f"Remove-Item Env:{name}" if place.system == "Windows" else f"unset {name}",
    )


def _device_gap(label: str, gpu: Gpu, engine: EngineInfo, place: Place) -> Gap:
    backend = backends_for(gpu, engine)[0]
    remedy = remedy_for(gpu)
    why = f": {engine.complaint}" if engine.complaint else ""
    return Gap(
        cause=GapCause.DEVICE_MISSING,
        sentence=f"{label} found, and this engine build has {backend}, but it does not see the GPU{why}.",
        advice=f"Restart the computer and update the driver; if it stays so, run this command {WHERE}.",
        command=install_command(place, engine.version, remedy.option),
        weight=GapWeight.NOTE if gpu.is_modest else GapWeight.LOSS,
    )


def _major(version: str) -> int | None:
    text = version.partition(".")[0]
    return int(text) if text.isdecimal() else None
