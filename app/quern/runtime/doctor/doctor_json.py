"""The doctor's report as JSON without personal data; sizes in bytes, null for what nothing tells."""

from quern.base import JsonObject, QuernError
from quern.hardware import Cpu, Disk, EngineDevice, EngineInfo, Gap, Gpu, Memory, default_thread_count, used_features
from quern.runtime.privacy import impersonal

from .doctor_report import DoctorReport, TrialReport


def report_json(report: DoctorReport) -> JsonObject:
    """Return the whole report: the person's folder in it is "~", the account's name "<user>"."""
    machine, fallback = report.machine, report.gpu_fallback
    return {
        "versions": dict(report.versions),
        "platform": report.platform,
        "container": machine.place.container,
        "wsl": machine.place.is_wsl,
        "cpu": _cpu_json(machine.cpu, report.engine),
        "memory": _memory_json(machine.memory),
        "disk": None if machine.disk is None else _disk_json(machine.disk),
        "gpus": [_gpu_json(gpu) for gpu in machine.gpus],
        "engine": _engine_json(report.engine),
        "gaps": [_gap_json(gap) for gap in report.gaps],
        "gpu_fallback": None if fallback is None else fallback.sentence,
        "trial": None if report.trial is None else _trial_json(report.trial),
        "data_folder": impersonal(str(report.home.root)),
        "offline": report.is_offline,
    }


def _cpu_json(cpu: Cpu, engine: EngineInfo | QuernError) -> JsonObject:
    used = () if isinstance(engine, QuernError) else used_features(cpu.features, engine.system_info)
    return {
        "brand": cpu.brand,
        "architecture": cpu.architecture,
        "physical_cores": cpu.n_physical_cores,
        "logical_cores": cpu.n_logical_cores,
        "performance_cores": cpu.n_performance_cores,
        "efficiency_cores": cpu.n_efficiency_cores,
        "default_threads": default_thread_count(cpu),
        "features": list(cpu.features),
        "used_features": list(used),
    }


def _memory_json(memory: Memory) -> JsonObject:
    return {
        "total_bytes": memory.total_bytes,
        "available_bytes": memory.available_bytes,
        "own_bytes": memory.own_bytes,
        "others_bytes": memory.others_bytes,
        "installed_bytes": memory.installed_bytes,
    }


def _disk_json(disk: Disk) -> JsonObject:
    return {"total_bytes": disk.total_bytes, "free_bytes": disk.free_bytes}


def _gpu_json(gpu: Gpu) -> JsonObject:
    return {
        "vendor": gpu.vendor.value,
        "name": gpu.name,
        "address": gpu.address,
        "driver": gpu.driver,
        "platform": gpu.platform,
        "target": gpu.target,
        "total_bytes": gpu.total,
        "free_bytes": gpu.free,
        "unified": gpu.is_unified,
        "working_set_bytes": gpu.working_set,
        "problem": gpu.problem,
    }


def _engine_json(engine: EngineInfo | QuernError) -> JsonObject:
    if isinstance(engine, QuernError):
        return {"problem": impersonal(str(engine))}
    return {
        "version": engine.version,
        "build": engine.build,
        "backends": list(engine.backends),
        "system_info": engine.system_info,
        "devices": [_device_json(device) for device in engine.devices],
        "complaint": impersonal(engine.complaint),
        "cuda_runtime": engine.cuda_runtime,
        "hidden_by": list(engine.hidden_by),
        "problem": None,
    }


def _device_json(device: EngineDevice) -> JsonObject:
    return {
        "name": device.name,
        "description": device.description,
        "kind": device.kind.value,
        "backend": device.backend,
        "total_bytes": device.total,
        "free_bytes": device.free,
        "address": device.address,
    }


def _gap_json(gap: Gap) -> JsonObject:
    return {
        "cause": gap.cause.value,
        "weight": gap.weight.value,
        "sentence": gap.sentence,
        "advice": gap.advice,
        "command": gap.command,
    }


def _trial_json(trial: TrialReport) -> JsonObject:
    proof = trial.proof
    return {
        "model": trial.entry.name,
        "rung": None if proof is None else proof.rung.value,
        "remembered": None if proof is None else proof.remembered,
        "attempts": [
            {"rung": attempt.rung.value, "outcome": attempt.outcome.value, "detail": impersonal(attempt.last_words)}
            for attempt in (proof.attempts if proof is not None else ())
        ],
        "problem": None if trial.problem is None else impersonal(str(trial.problem)),
    }
