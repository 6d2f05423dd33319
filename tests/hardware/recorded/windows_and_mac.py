"""Windows machines as their registry has them, and Macs as sysctl and Metal answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from quern.base import WorkerFailed
from quern.hardware import GapCause, Gpu, GpuFault, Memory, Place, Vendor
from quern.hardware.host.mac import MacSystem
from quern.hardware.host.registry import RegistryValue
from quern.hardware.host.windows import WindowsCalls, WindowsSystem
from quern.hardware.system import System
from quern.hardware.vendor.apple import MetalDevice

from .fake_nvml import DRIVER_NOT_LOADED, Card, FakeNvml
from .fake_nvml import Memory as CardMemory
from .machine import GIB, PIP, Recorded, Told, engine, seen
from .tree import never

CONTROL = r"SYSTEM\CurrentControlSet"
DISPLAY = "{4d36e968-e325-11ce-bfc1-08002be10318}"
MEMORY = Memory(total_bytes=32 * GIB, available_bytes=20 * GIB, own_bytes=GIB)


@dataclass(frozen=True, slots=True)
class FakeRegistry:
    """A registry as a mapping from paths to values."""

    entries: Mapping[str, Mapping[str, RegistryValue]]

    def keys(self, path: str) -> tuple[str, ...]:
        below = (entry.removeprefix(path + "\\") for entry in self.entries if entry.startswith(path + "\\"))
        return tuple(dict.fromkeys(name.partition("\\")[0] for name in below))

    def values(self, path: str) -> Mapping[str, RegistryValue]:
        return self.entries.get(path, {})


def adapter(
    number: int, device: str, service: str, bus: str, **entry: RegistryValue
) -> dict[str, Mapping[str, RegistryValue]]:
    """One display adapter: its class key, its place in the tree of devices, its service's list of what is there."""
    path = rf"PCI\{device}&SUBSYS_00000000&REV_A1\4&1{number}"
    return {
        rf"{CONTROL}\Control\Class\{DISPLAY}\000{number}": {
            name.replace("Memory", "HardwareInformation.qwMemorySize"): value for name, value in entry.items()
        },
        rf"{CONTROL}\Enum\{path}": {
            "Driver": rf"{DISPLAY}\000{number}",
            "Service": service,
            "LocationInformation": rf"@System32\drivers\pci.sys,#65536;PCI bus %1, device %2, function %3;({bus})",
        },
        rf"{CONTROL}\Services\{service}\Enum": {"0": path, "Count": 1, "NextInstance": 1},
    }


def windows(entries: Mapping[str, Mapping[str, RegistryValue]], nvml: Callable[[], FakeNvml]) -> System:
    calls = WindowsCalls(
        has_feature=lambda number: number in (13, 36, 39, 40),
        core_buffer=lambda: b"",
        n_cpus=lambda: 16,
        memory=lambda: MEMORY,
        slept_s=lambda: 0.0,
    )
    return WindowsSystem(FakeRegistry(entries), calls, nvml)


UHD = adapter(
    0,
    "VEN_8086&DEV_A7A0",
    "igfxn",
    "0,2,0",
    DriverDesc="Intel(R) Iris(R) Xe Graphics",
    DriverVersion="31.0.101.5590",
    Memory=(1 << 30).to_bytes(8, "little"),
)
RTX_4060 = adapter(
    1,
    "VEN_10DE&DEV_28E0",
    "nvlddmkm",
    "1,0,0",
    DriverDesc="NVIDIA GeForce RTX 4060 Laptop GPU",
    DriverVersion="32.0.15.6094",
    Memory=8 * GIB,
)


def laptop(_root: Path) -> System:
    """Intel's GPU in the processor and a GeForce."""
    card = Card("NVIDIA GeForce RTX 4060 Laptop GPU", "00000000:01:00.0", (8, 9), CardMemory(8 * GIB, 7 * GIB))
    nvml = FakeNvml([card], driver="560.94", cuda=12060)
    return windows({**UHD, **RTX_4060}, lambda: nvml)


def stopped_driver(_root: Path) -> System:
    """The card is there and its driver does not run."""
    return windows(RTX_4060, lambda: FakeNvml(init_fails=DRIVER_NOT_LOADED))


def thin_laptop(_root: Path) -> System:
    """Nothing but the processor's GPU."""
    return windows(UHD, never)


def exchanged_card(_root: Path) -> System:
    """A Radeon in the place of a GeForce, whose keys have stayed, and one that waits for its driver."""
    radeon = adapter(
        2,
        "VEN_1002&DEV_747E",
        "amdwddmg",
        "3,0,0",
        DriverDesc="AMD Radeon RX 7800 XT",
        DriverVersion="32.0.12019.1028",
        Memory=16 * GIB,
    )
    bare = adapter(3, "VEN_8086&DEV_E20B", "BasicDisplay", "9,0,0", DriverDesc="Microsoft Basic Display Adapter")
    gone = rf"{CONTROL}\Services\nvlddmkm\Enum"
    return windows({**RTX_4060, **radeon, **bare, gone: {"0": r"PCI\VEN_10DE&DEV_FFFF\other", "Count": 1}}, _none)


def _none() -> FakeNvml:
    return FakeNvml()


def mac(answers: Mapping[str, str], metal: MetalDevice | None, available_bytes: int = 20 * GIB) -> System:
    total = int(answers["hw.memsize"])
    memory = Memory(total_bytes=total, available_bytes=available_bytes)
    return MacSystem(answers.get, lambda: memory, lambda: metal, lambda: 0.0)


def macbook(_root: Path) -> System:
    """An M3 Pro with 36 GiB."""
    answers = {"hw.memsize": str(36 * GIB), "hw.optional.arm64": "1", "machdep.cpu.brand_string": "Apple M3 Pro"}
    metal = MetalDevice(name="Apple M3 Pro", working_set=27 * GIB, has_unified_memory=True, platform="Metal 3")
    return mac(answers, metal)


def translated(_root: Path) -> System:
    """An M2 on which an Intel Python runs; Metal does not answer it."""
    answers = {
        "hw.memsize": str(24 * GIB),
        "hw.optional.arm64": "1",
        "machdep.cpu.brand_string": "Apple M2",
        "sysctl.proc_translated": "1",
    }
    return mac(answers, None)


def widened(_root: Path) -> System:
    """A Mac whose owner let the GPU have more than macOS does."""
    answers = {
        "hw.memsize": str(64 * GIB),
        "hw.optional.arm64": "1",
        "machdep.cpu.brand_string": "Apple M1 Max",
        "iogpu.wired_limit_mb": str(56 * 1024),
    }
    return mac(answers, None, available_bytes=60 * GIB)


def intel_mac(_root: Path) -> System:
    """A MacBook Pro of 2019 with a Radeon."""
    metal = MetalDevice(name="AMD Radeon Pro 5500M", working_set=4 * GIB, has_unified_memory=False, platform="Metal 3")
    return mac({"hw.memsize": str(32 * GIB)}, metal)


IRIS = Gpu(
    vendor=Vendor.INTEL,
    name="Intel(R) Iris(R) Xe Graphics",
    driver="31.0.101.5590",
    is_unified=True,
    address="0000:00:02.0",
)
GEFORCE = Gpu(
    vendor=Vendor.NVIDIA,
    name="NVIDIA GeForce RTX 4060 Laptop GPU",
    total=8 * GIB,
    free=7 * GIB,
    driver="560.94",
    platform="CUDA 12.6",
    target="8.9",
    address="0000:01:00.0",
)
M3 = Gpu(
    vendor=Vendor.APPLE,
    name="Apple M3 Pro",
    total=36 * GIB,
    free=20 * GIB,
    platform="Metal 3",
    target="Apple M3 Pro",
    is_unified=True,
    working_set=27 * GIB,
)
WINDOWS, MAC = Place(system="Windows"), Place(system="macOS")
NO_VULKAN = Told(
    cause=GapCause.BACKEND_MISSING,
    sentence="Intel(R) Iris(R) Xe Graphics found, driver 31.0.101.5590; this engine build has no Vulkan.",
    command=f'$env:CMAKE_ARGS = "-DGGML_VULKAN=on"; {PIP}',
    is_note=True,
)
MACHINES = (
    Recorded(
        name="Windows laptop with two GPUs, engine without CUDA",
        build=laptop,
        place=WINDOWS,
        memory=MEMORY,
        gpus=(GEFORCE, IRIS),
        engine=engine(),
        gaps=(
            Told(
                cause=GapCause.BACKEND_MISSING,
                sentence="NVIDIA GeForce RTX 4060 Laptop GPU found, driver 560.94 (CUDA 12.6); this engine build has "
                "no CUDA.",
                command=f'$env:CMAKE_ARGS = "-DGGML_CUDA=on"; {PIP}',
            ),
        ),
        fallback=GapCause.BACKEND_MISSING,
    ),
    Recorded(
        name="Windows with a card whose driver does not run",
        build=stopped_driver,
        place=WINDOWS,
        memory=MEMORY,
        gpus=(
            Gpu(
                vendor=Vendor.NVIDIA,
                name="NVIDIA GeForce RTX 4060 Laptop GPU",
                total=8 * GIB,
                driver="32.0.15.6094",
                address="0000:01:00.0",
                fault=GpuFault.NO_DRIVER,
            ),
        ),
        engine=engine(),
        gaps=(
            Told(
                cause=GapCause.DRIVER_MISSING,
                sentence="NVIDIA GeForce RTX 4060 Laptop GPU found, but the driver is not installed or not loaded.",
            ),
        ),
        fallback=GapCause.DRIVER_MISSING,
    ),
    Recorded(
        name="Windows laptop with the processor's GPU only, which is no loss",
        build=thin_laptop,
        place=WINDOWS,
        memory=MEMORY,
        gpus=(IRIS,),
        engine=engine(),
        gaps=(NO_VULKAN,),
    ),
    Recorded(
        name="Windows after a change of cards, used through Vulkan",
        build=exchanged_card,
        place=WINDOWS,
        memory=MEMORY,
        gpus=(
            Gpu(
                vendor=Vendor.AMD,
                name="AMD Radeon RX 7800 XT",
                total=16 * GIB,
                driver="32.0.12019.1028",
                address="0000:03:00.0",
            ),
            Gpu(
                vendor=Vendor.INTEL,
                name="Microsoft Basic Display Adapter",
                address="0000:09:00.0",
                fault=GpuFault.NO_DRIVER,
            ),
        ),
        engine=engine(seen("Vulkan0", "Vulkan", "AMD Radeon RX 7800 XT")),
        gaps=(
            Told(
                cause=GapCause.DRIVER_MISSING,
                sentence="Microsoft Basic Display Adapter found, but the driver is not installed or not loaded.",
            ),
        ),
    ),
    Recorded(
        name="MacBook whose engine uses Metal",
        build=macbook,
        place=MAC,
        memory=Memory(total_bytes=36 * GIB, available_bytes=20 * GIB),
        gpus=(M3,),
        engine=engine(seen("MTL0", "MTL", "Apple M3 Pro")),
    ),
    Recorded(
        name="Mac with an Intel Python, whose engine cannot be loaded",
        build=translated,
        place=replace(MAC, is_translated=True),
        memory=Memory(total_bytes=24 * GIB, available_bytes=20 * GIB),
        gpus=(
            replace(
                M3,
                name="Apple M2",
                target="Apple M2",
                total=24 * GIB,
                free=16 * GIB,
                working_set=16 * GIB,
                platform="Metal",
            ),
        ),
        engine=WorkerFailed("devices", "The engine could not be started: wrong architecture.", kind="LibraryMissing"),
        gaps=(
            Told(
                cause=GapCause.ENGINE_FAILED,
                sentence="The engine could not be started: wrong architecture.",
                command=PIP.removesuffix("==0.3.36"),
            ),
            Told(
                cause=GapCause.TRANSLATED,
                sentence="This Python was built for Intel and runs translated; the engine cannot use the processor's "
                "own kernels.",
            ),
        ),
        fallback=GapCause.ENGINE_FAILED,
    ),
    Recorded(
        name="Mac whose GPU may use more than usual",
        build=widened,
        place=MAC,
        memory=Memory(total_bytes=64 * GIB, available_bytes=60 * GIB),
        gpus=(
            replace(
                M3,
                name="Apple M1 Max",
                target="Apple M1 Max",
                total=64 * GIB,
                free=56 * GIB,
                working_set=56 * GIB,
                platform="Metal",
            ),
        ),
        engine=engine(),
        gaps=(
            Told(
                cause=GapCause.BACKEND_MISSING,
                sentence="Apple M1 Max found, Metal; this engine build has no Metal.",
                command=f'CMAKE_ARGS="-DGGML_METAL=on" {PIP}',
            ),
        ),
        fallback=GapCause.BACKEND_MISSING,
    ),
    Recorded(
        name="Intel Mac with a Radeon that Metal drives",
        build=intel_mac,
        place=MAC,
        memory=Memory(total_bytes=32 * GIB, available_bytes=20 * GIB),
        gpus=(Gpu(vendor=Vendor.AMD, name="AMD Radeon Pro 5500M", total=4 * GIB, platform="Metal 3"),),
        engine=engine(seen("MTL0", "MTL", "AMD Radeon Pro 5500M")),
    ),
)
