"""A doctor's report to look at: a machine whose fast kernels crash."""

from pathlib import Path

from quern.base import Home
from quern.hardware import Cpu, Machine, Memory
from quern.runtime import Attempt, DeviceReport, DoctorReport, EngineReport, Outcome, Proof, Rung, TrialReport
from quern.spec import LoadSettings
from tests.gui.stand_in import model_entry

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
            features=("AMX_INT8", "AVX", "AVX2", "AVX512F", "AVX512_VNNI", "BMI2", "F16C", "FMA"),
        ),
        memory=Memory(total_bytes=32 << 30, available_bytes=23 << 30),
    ),
    engine=EngineReport(
        version="0.3.36",
        build="llama.cpp b8189",
        system_info="CPU : SSE3 = 1 | SSSE3 = 1 | AVX = 1 | AVX2 = 1 | F16C = 1 | FMA = 1 | AVX512 = 1 | AMX_INT8 = 1",
        devices=(DeviceReport(name="CPU", description="Intel(R) Xeon(R) Platinum", kind="cpu", total_bytes=32 << 30),),
    ),
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
