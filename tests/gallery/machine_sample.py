"""Doctor's reports to look at: a machine whose fast kernels crash, one with GPUs, one whose GPU is not used, and one
whose engine crashes.
"""

from dataclasses import replace
from pathlib import Path

from quern.base import Home, WorkerCrashed
from quern.hardware import (
    Cpu,
    DeviceKind,
    Disk,
    EngineDevice,
    EngineInfo,
    Gpu,
    GpuFault,
    Machine,
    Memory,
    Place,
    Vendor,
)
from quern.runtime import Attempt, DoctorReport, Outcome, Proof, Rung, TrialReport
from quern.spec import LoadSettings
from tests.gui.stand_in import model_entry

GIB = 1 << 30
CPU_LINE = (
    "CPU : SSE3 = 1 | SSSE3 = 1 | AVX = 1 | AVX2 = 1 | F16C = 1 | FMA = 1 | BMI2 = 1 | AVX512 = 1 | AVX512_VNNI = 1 | "
    "AMX_INT8 = 1"
)
CPU_DEVICE = EngineDevice(
    name="CPU",
    description="Intel(R) Xeon(R) Platinum",
    kind=DeviceKind.CPU,
    backend="CPU",
    free=32 * GIB,
    total=32 * GIB,
)
ENGINE = EngineInfo(
    version="0.3.36",
    build="llama.cpp b8189",
    system_info=CPU_LINE,
    backends=("CPU",),
    devices=(CPU_DEVICE,),
)
REPORT = DoctorReport(
    versions={"Quern": "0.1.0", "Python": "3.11.7", "llama-cpp-python": "0.3.36", "PySide6-Essentials": "6.12.0"},
    platform="Linux-6.1.0-x86_64-with-glibc2.36",
    machine=Machine(
        cpu=Cpu(
            brand="Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
            architecture="x86_64",
            n_physical_cores=2,
            n_logical_cores=4,
            n_performance_cores=2,
            n_usable_threads=2,
            features=("amx_int8", "avx", "avx2", "avx512f", "avx512_vnni", "bmi2", "f16c", "fma", "sse3", "ssse3"),
        ),
        memory=Memory(total_bytes=32 * GIB, available_bytes=23 * GIB, own_bytes=GIB),
        place=Place(system="Linux"),
        disk=Disk(total_bytes=460 * GIB, free_bytes=212 * GIB),
    ),
    engine=ENGINE,
    trial=TrialReport(
        entry=model_entry(),
        proof=Proof(
            settings=Rung.NO_EXTRA_BUFFERS.applied_to(LoadSettings()),
            rung=Rung.NO_EXTRA_BUFFERS,
            remembered=False,
            attempts=(
                Attempt(Rung.EVERYTHING, Outcome.CRASHED, "SIGSEGV"),
                Attempt(Rung.NO_EXTRA_BUFFERS, Outcome.PASSED),
            ),
        ),
    ),
    home=Home(Path.home() / ".local/share/quern"),
    is_offline=False,
)

RTX_4090 = Gpu(
    vendor=Vendor.NVIDIA,
    name="NVIDIA GeForce RTX 4090",
    total=24 * GIB,
    free=23 * GIB,
    driver="560.35.03",
    platform="CUDA 12.6",
    target="8.9",
    address="0000:01:00.0",
)
SECOND = replace(RTX_4090, address="0000:21:00.0", free=9 * GIB)
LOST = Gpu(vendor=Vendor.NVIDIA, name="NVIDIA GeForce RTX 3090", address="0000:41:00.0", fault=GpuFault.LOST)
INTEGRATED = Gpu(
    vendor=Vendor.INTEL,
    name="Intel UHD Graphics 770",
    driver="i915 of Linux 6.8.0-45-generic",
    is_unified=True,
    address="0000:00:02.0",
)
WORKS = replace(
    REPORT,
    trial=TrialReport(
        entry=model_entry(),
        proof=Proof(
            settings=LoadSettings(),
            rung=Rung.EVERYTHING,
            remembered=True,
            attempts=(Attempt(Rung.EVERYTHING, Outcome.PASSED),),
        ),
    ),
)


def _cuda(gpu: Gpu, index: int) -> EngineDevice:
    return EngineDevice(
        name=f"CUDA{index}",
        description=gpu.name,
        kind=DeviceKind.GPU,
        backend="CUDA",
        free=gpu.free or 0,
        total=gpu.total or 0,
        address=gpu.address,
    )


# Two cards in use, one that is lost.
SEVERAL_GPUS = replace(
    WORKS,
    machine=replace(REPORT.machine, gpus=(RTX_4090, SECOND, LOST)),
    engine=replace(
        ENGINE,
        system_info=f"{CPU_LINE} | CUDA : ARCHS = 750,800,860,890 | USE_GRAPHS = 1",
        backends=("CUDA", "CPU"),
        devices=(_cuda(RTX_4090, 0), _cuda(SECOND, 1), CPU_DEVICE),
    ),
)
# Two GPUs, and an engine build that can drive neither.
UNUSED_GPU = replace(
    WORKS,
    machine=replace(
        REPORT.machine,
        gpus=(INTEGRATED, replace(RTX_4090, name="NVIDIA GeForce RTX 4070", total=12 * GIB, free=11 * GIB)),
    ),
)
# Enumerating the devices ended the worker.
CRASHED = replace(
    REPORT,
    machine=replace(REPORT.machine, gpus=(RTX_4090,)),
    engine=WorkerCrashed("devices", "SIGSEGV"),
    trial=None,
)
