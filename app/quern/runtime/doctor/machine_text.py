"""What was found of a machine in words: lines of a label and what it says."""

from quern.base import QuernError, format_bytes
from quern.hardware import (
    Cpu,
    EngineInfo,
    Gpu,
    Memory,
    Place,
    default_thread_count,
    device_of,
    feature_name,
    unused_features,
)

from .doctor_report import DoctorReport

Lines = tuple[tuple[str, str], ...]


def machine_lines(report: DoctorReport) -> Lines:
    """Return the lines about system, CPU, memory and disk."""
    machine = report.machine
    disk = machine.disk
    return (
        ("System", report.platform),
        *_place(machine.place),
        ("CPU", f"{machine.cpu.brand} ({machine.cpu.architecture})"),
        ("Cores", _cores(machine.cpu)),
        *_features(machine.cpu, report.engine),
        ("Memory", _memory(machine.memory)),
        *((("Disk", f"{format_bytes(disk.total_bytes)}, {format_bytes(disk.free_bytes)} free"),) if disk else ()),
        *((("GPU", "none found"),) if not machine.gpus else ()),
    )


def gpu_lines(gpu: Gpu, engine: EngineInfo | QuernError) -> Lines:
    """Return the lines about one GPU; what its vendor's interface does not tell is left out."""
    lines = (
        ("Problem", gpu.problem or ""),
        ("Memory", _gpu_memory(gpu)),
        ("Driver", ", ".join(filter(None, (gpu.driver, gpu.platform)))),
        ("Target", _target(gpu)),
        ("Address", gpu.address or ""),
        ("Engine", _seen(gpu, engine)),
    )
    return tuple((label, found) for label, found in lines if found)


def _place(place: Place) -> Lines:
    inside = [place.container or "", "Windows (WSL)" if place.is_wsl else ""]
    told = " in ".join(filter(None, inside))
    return (("Runs in", told),) if told else ()


def _cores(cpu: Cpu) -> str:
    kinds = f" ({cpu.n_performance_cores} fast, {cpu.n_efficiency_cores} efficient)" if cpu.n_efficiency_cores else ""
    threads = f"{default_thread_count(cpu)} threads compute"
    return f"{cpu.n_physical_cores} physical{kinds}, {cpu.n_logical_cores} logical; {threads}"


def _features(cpu: Cpu, engine: EngineInfo | QuernError) -> Lines:
    lines = (("CPU features", _listed(cpu.features) or "none that llama.cpp has kernels for"),)
    if isinstance(engine, QuernError) or not cpu.features:
        return lines
    unused = _listed(unused_features(cpu.features, engine.system_info))
    return (*lines, ("Used of them", f"all but {unused}" if unused else "all"))


def _listed(features: tuple[str, ...]) -> str:
    return ", ".join(map(feature_name, features))


def _memory(memory: Memory) -> str:
    limit = "" if memory.installed_bytes is None else f" of {format_bytes(memory.installed_bytes)}, by a limit"
    return (
        f"{format_bytes(memory.total_bytes)}{limit}: {format_bytes(memory.available_bytes)} free, "
        f"{format_bytes(memory.own_bytes)} Quern, {format_bytes(memory.others_bytes)} others"
    )


def _gpu_memory(gpu: Gpu) -> str:
    """Return sizes; a unified GPU's is part of the machine's memory."""
    free = "" if gpu.free is None else f", {format_bytes(gpu.free)} free"
    if not gpu.is_unified:
        return "" if gpu.total is None else f"{format_bytes(gpu.total)}{free}"
    most = "" if gpu.working_set is None else f", of which it may use {format_bytes(gpu.working_set)}"
    return f"the machine's own{most}{free}"


def _target(gpu: Gpu) -> str:
    if gpu.target is None or gpu.target == gpu.name:
        return ""
    return f"compute capability {gpu.target}" if gpu.target[:1].isdecimal() else gpu.target


def _seen(gpu: Gpu, engine: EngineInfo | QuernError) -> str:
    if isinstance(engine, QuernError):
        return ""
    device = device_of(gpu, engine)
    return "not used" if device is None or gpu.fault is not None else f"used as {device.name} ({device.backend})"
