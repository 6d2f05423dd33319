"""What a fit stands on besides the model: the machine and the engine that is installed on it."""

import logging
from dataclasses import replace
from time import time

from quern.base import Cancelled, CancelToken, Json, QuernError
from quern.engine import engine_build, engine_version, has_gpu_backend
from quern.fit import HOST, Circumstances, ModelShape
from quern.hardware import (
    Cpu,
    DeviceKind,
    EngineDevice,
    EngineInfo,
    Machine,
    ask_engine,
    default_thread_count,
    detect_cpu,
    detect_gpus,
    detect_memory,
)
from quern.runtime.load.trial import device_identity

from .fit_memory import FitMemory
from .fit_session import FitLimits

logger = logging.getLogger(__name__)


def installed_engine(memory: FitMemory, machine: Machine, cancel: CancelToken | None) -> EngineInfo:
    """Return what the engine is and sees; one that brings a GPU backend is asked for it in a child, each time anew.

    Another one is asked once: what its CPU code has been built with is remembered. Where there is no engine, its
    features are none. Raises what `ask_engine` raises of an engine with a GPU backend, and Cancelled.
    """
    if has_gpu_backend():
        return ask_engine(cancel)
    topic = f"features on {device_identity()}"
    features = memory.lesson(topic, engine_build(), _text)
    if features is None:
        try:
            features = ask_engine(cancel).system_info
        except Cancelled:
            raise
        except QuernError as error:
            logger.info("the engine does not say what it was built with: %s", error)
            return _engine_on_cpu(machine, "")
        memory.learn(topic, engine_build(), features, time())
    return _engine_on_cpu(machine, features)


def _text(lesson: Json) -> str:
    if not isinstance(lesson, str):
        raise ValueError("no text")
    return lesson


def _engine_on_cpu(machine: Machine, system_info: str) -> EngineInfo:
    cpu = EngineDevice(
        name=HOST,
        description=machine.cpu.brand,
        kind=DeviceKind.CPU,
        backend="CPU",
        free=machine.memory.available_bytes,
        total=machine.memory.total_bytes,
    )
    return EngineInfo(
        version=engine_version(), build=engine_build(), system_info=system_info, backends=("CPU",), devices=(cpu,)
    )


def machine_without_gpus() -> Machine:
    """Return this machine without its GPUs, which take long to ask."""
    return Machine(cpu=detect_cpu(), memory=detect_memory())


def with_gpus(machine: Machine, engine: EngineInfo) -> Machine:
    """Return `machine` with its GPUs where the engine can use one."""
    return replace(machine, gpus=detect_gpus()) if engine.gpu_devices else machine


def circumstances_of(shape: ModelShape, cpu: Cpu, engine: EngineInfo) -> Circumstances:
    """Return what open choices depend on."""
    return Circumstances(
        n_ctx_train=shape.n_ctx_train,
        n_head=shape.layers[0].n_head if shape.layers else 0,
        default_threads=default_thread_count(cpu),
        max_threads=cpu.n_logical_cores,
        uses_gpu=bool(engine.gpu_devices),
    )


def limits_of(shape: ModelShape, engine: EngineInfo) -> FitLimits:
    """Return how far each choice goes."""
    return FitLimits(
        n_ctx_train=shape.n_ctx_train,
        n_layer_all=shape.n_layer_all,
        n_expert_layers=sum(layer.has_experts for layer in shape.layers),
        has_sliding_window=any(layer.slides for layer in shape.layers),
        gpus=tuple(device.description or device.name for device in engine.gpu_devices),
    )
