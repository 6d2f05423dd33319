"""Linux machines with AMD and Intel GPUs, in containers, in WSL, and with nothing at all."""

from dataclasses import replace
from pathlib import Path

from quern.base import WorkerCrashed
from quern.hardware import GapCause, Gpu, GpuFault, Memory, Place, Vendor
from quern.hardware.system import System

from .fake_nvml import LIBRARY_NOT_FOUND, rtx_4070
from .linux_nvidia import COMPUTER, LINUX, MEMORY, RTX_4070
from .machine import GIB, PIP, X86_BUILD, Recorded, Told, engine, seen
from .tree import LinuxTree, never

NAVI_31, RAPHAEL = "0000:03:00.0", "0000:0d:00.0"


def radeons(root: Path, *, rocm: str = "6.2.0-66") -> LinuxTree:
    """A Ryzen with its own small GPU, and an RX 7900 XTX; what amdgpu and its compute driver write."""
    tree = LinuxTree(root).computer(*COMPUTER)
    tree.gpu(NAVI_31, "1002:744c:c8", "amdgpu", render="renderD128").write("dev/kfd")
    tree.gpu(RAPHAEL, "1002:164e:c1", "amdgpu", render="renderD129")
    amdgpu_memory(tree, NAVI_31, vram=(24 * GIB, GIB), gtt=(32 * GIB, 0))
    amdgpu_memory(tree, RAPHAEL, vram=(GIB // 2, GIB // 4), gtt=(32 * GIB, GIB))
    kfd_node(tree, 0, cpu_cores_count=32, simd_count=0, gfx_target_version=0)
    kfd_node(tree, 1, cpu_cores_count=0, simd_count=192, gfx_target_version=110000, location_id=3 << 8)
    kfd_node(tree, 2, cpu_cores_count=0, simd_count=4, gfx_target_version=100306, location_id=13 << 8)
    return tree.write("opt/rocm/.info/version", f"{rocm}\n") if rocm else tree


def amdgpu_memory(tree: LinuxTree, address: str, *, vram: tuple[int, int], gtt: tuple[int, int]) -> None:
    for kind, (total, used) in (("vram", vram), ("gtt", gtt)):
        folder = f"sys/bus/pci/devices/{address}"
        tree.write(f"{folder}/mem_info_{kind}_total", f"{total}\n").write(f"{folder}/mem_info_{kind}_used", f"{used}\n")


def kfd_node(tree: LinuxTree, number: int, **properties: int) -> None:
    text = "".join(f"{name} {value}\n" for name, value in {**properties, "domain": 0}.items())
    tree.write(f"sys/class/kfd/kfd/topology/nodes/{number}/properties", text)


def radeons_with_rocm(root: Path) -> System:
    return radeons(root).system(nvml=never)


def radeons_without_rocm(root: Path) -> System:
    return radeons(root, rocm="").system(nvml=never)


def radeon_of_others(root: Path) -> System:
    """The account is not in the group that the device files belong to."""
    tree = radeons(root)
    tree.forbidden = {"dev/kfd", "dev/dri/renderD128", "dev/dri/renderD129"}
    return tree.system()


def strix_halo(root: Path) -> System:
    """A large APU: 8 GiB set apart for it, 56 GiB more of the machine's memory at most."""
    tree = LinuxTree(root).computer(120 << 20, 100 << 20)
    tree.gpu("0000:c6:00.0", "1002:1586:c1", "amdgpu", render="renderD128").write("dev/kfd")
    amdgpu_memory(tree, "0000:c6:00.0", vram=(8 * GIB, GIB), gtt=(56 * GIB, 0))
    kfd_node(tree, 1, cpu_cores_count=0, gfx_target_version=110501, location_id=0xC6 << 8)
    return tree.system()


def arc(root: Path) -> System:
    """An Arc A770 driven by xe."""
    tree = LinuxTree(root).computer(*COMPUTER)
    tree.gpu("0000:03:00.0", "8086:56a0:08", "xe", render="renderD128")
    tree.write("sys/bus/pci/devices/0000:03:00.0/tile0/physical_vram_size_bytes", f"{16 * GIB}\n")
    return tree.system()


def arc_with_i915(root: Path) -> System:
    """The same card driven by i915, its memory to be seen in BAR 2 only."""
    tree = LinuxTree(root).computer(*COMPUTER)
    tree.gpu("0000:03:00.0", "8086:56a0:08", "i915", render="renderD128")
    bars = ("0x82000000 0x82ffffff 0x140204", "0x0 0x0 0x0", f"0x4000000000 0x{0x4000000000 + 16 * GIB - 1:x} 0x14220c")
    tree.write("sys/bus/pci/devices/0000:03:00.0/resource", "\n".join(bars))
    return tree.system()


def container_without_gpu(root: Path) -> System:
    """A container that was started without the card; control groups of version 2."""
    tree = LinuxTree(root).computer(*COMPUTER).write(".dockerenv").nvidia_driver("560.35.03", 12060)
    (root / "dev/nvidiactl").unlink()
    tree.write("proc/self/cgroup", "0::/\n")
    tree.write("sys/fs/cgroup/memory.max", str(8 * GIB)).write("sys/fs/cgroup/memory.current", str(GIB))
    tree.gpu("0000:01:00.0", "10de:2786:a1", "nvidia")
    tree.nvml.init_fails = LIBRARY_NOT_FOUND
    return tree.system()


def wsl(root: Path) -> System:
    """WSL 2: no card on the bus, NVIDIA's library from Windows."""
    tree = LinuxTree(root).computer(*COMPUTER)
    tree.write("proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@941d701f84f1)\n")
    tree.write("dev/dxg").write("usr/lib/wsl/lib/libnvidia-ml.so.1")
    tree.nvml.cards = [rtx_4070()]
    return tree.system()


def wsl_1(root: Path) -> System:
    """WSL without the device that leads to Windows' GPU."""
    tree = LinuxTree(root).computer(*COMPUTER)
    tree.write("proc/version", "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)\n")
    tree.write("usr/lib/wsl/lib/libnvidia-ml.so.1")
    tree.nvml.init_fails = LIBRARY_NOT_FOUND
    return tree.system()


def server(root: Path) -> System:
    """A virtual machine: a screen adapter that computes nothing, and a CPU that can more than the engine."""
    tree = LinuxTree(root).computer(*COMPUTER, features="pni ssse3 avx avx2 fma f16c bmi2 avx512f avx512_vnni amx_int8")
    tree.gpu("0000:00:01.0", "1af4:1050:01", "virtio-pci")
    tree.gpu("0000:00:05.0", "10de:2786:a1", "vfio-pci")
    return tree.system(nvml=never)


RX_7900 = Gpu(
    vendor=Vendor.AMD,
    name="AMD Radeon RX 7900 XTX",
    total=24 * GIB,
    free=23 * GIB,
    driver="amdgpu of Linux 6.8.0-45-generic",
    platform="ROCm 6.2.0",
    target="gfx1100",
    address=NAVI_31,
)
SMALL_APU = Gpu(
    vendor=Vendor.AMD,
    name="AMD Raphael",
    total=32 * GIB + GIB // 2,
    free=31 * GIB + GIB // 4,
    driver="amdgpu of Linux 6.8.0-45-generic",
    platform="ROCm 6.2.0",
    target="gfx1036",
    is_unified=True,
    working_set=32 * GIB + GIB // 2,
    address=RAPHAEL,
)
ARC = Gpu(
    vendor=Vendor.INTEL,
    name="Intel Arc A770",
    total=16 * GIB,
    driver="xe of Linux 6.8.0-45-generic",
    address="0000:03:00.0",
)
NOT_PASSED = Gpu(vendor=Vendor.NVIDIA, name="NVIDIA GPU", fault=GpuFault.NOT_PASSED)


def _no_backend(gpu: str, about: str, backend: str, option: str) -> Told:
    return Told(
        cause=GapCause.BACKEND_MISSING,
        sentence=f"{gpu} found, {about}; this engine build has no {backend}.",
        command=f'CMAKE_ARGS="-DGGML_{option}=on" {PIP}',
    )


AMD_ABOUT = "driver amdgpu of Linux 6.8.0-45-generic (ROCm 6.2.0)"
MACHINES = (
    Recorded(
        name="Radeon card and the processor's own, ROCm installed, engine without it",
        build=radeons_with_rocm,
        place=LINUX,
        memory=MEMORY,
        gpus=(RX_7900, SMALL_APU),
        engine=engine(),
        gaps=(_no_backend("AMD Radeon RX 7900 XTX", AMD_ABOUT, "ROCm", "HIP"),),
        fallback=GapCause.BACKEND_MISSING,
    ),
    Recorded(
        name="Radeon card without ROCm, engine with Vulkan",
        build=radeons_without_rocm,
        place=LINUX,
        memory=MEMORY,
        gpus=(replace(RX_7900, platform=None), replace(SMALL_APU, platform=None)),
        engine=engine(seen("Vulkan0", "Vulkan", "AMD Radeon RX 7900 XTX (RADV NAVI31)", NAVI_31)),
    ),
    Recorded(
        name="device files that this account may not open",
        build=radeon_of_others,
        place=LINUX,
        memory=MEMORY,
        gpus=(replace(RX_7900, fault=GpuFault.NO_PERMISSION), replace(SMALL_APU, fault=GpuFault.NO_PERMISSION)),
        engine=engine(backends=("ROCm",), complaint="failed to initialize ROCm: no ROCm-capable device is detected"),
        gaps=(
            Told(
                cause=GapCause.NO_PERMISSION,
                sentence="AMD Radeon RX 7900 XTX found, but this account may not use it.",
                command="sudo usermod -aG render,video $USER",
            ),
        ),
        fallback=GapCause.NO_PERMISSION,
    ),
    Recorded(
        name="large APU, whose memory is the machine's",
        build=strix_halo,
        place=LINUX,
        memory=Memory(total_bytes=120 * GIB, available_bytes=100 * GIB),
        gpus=(
            Gpu(
                vendor=Vendor.AMD,
                name="AMD Radeon 8060S Graphics",
                total=64 * GIB,
                free=63 * GIB,
                driver="amdgpu of Linux 6.8.0-45-generic",
                target="gfx1151",
                is_unified=True,
                working_set=64 * GIB,
                address="0000:c6:00.0",
            ),
        ),
        engine=engine(),
        gaps=(_no_backend("AMD Radeon 8060S Graphics", "driver amdgpu of Linux 6.8.0-45-generic", "Vulkan", "VULKAN"),),
        fallback=GapCause.BACKEND_MISSING,
    ),
    Recorded(
        name="Arc card with xe, used through Vulkan",
        build=arc,
        place=LINUX,
        memory=MEMORY,
        gpus=(ARC,),
        engine=engine(seen("Vulkan0", "Vulkan", "Intel(R) Arc(tm) A770 Graphics (DG2)")),
    ),
    Recorded(
        name="Arc card with i915, the engine's driver crashes",
        build=arc_with_i915,
        place=LINUX,
        memory=MEMORY,
        gpus=(replace(ARC, driver="i915 of Linux 6.8.0-45-generic"),),
        engine=WorkerCrashed("devices", "SIGSEGV"),
        gaps=(
            Told(
                cause=GapCause.ENGINE_FAILED,
                sentence="The engine cannot be asked which devices it sees. "
                'Quern\'s helper process "devices" crashed (SIGSEGV).',
            ),
        ),
        fallback=GapCause.ENGINE_FAILED,
    ),
    Recorded(
        name="container that was started without the card, limited by control groups of version 2",
        build=container_without_gpu,
        place=Place(system="Linux", container="docker"),
        memory=Memory(total_bytes=8 * GIB, available_bytes=7 * GIB, installed_bytes=64 * GIB),
        gpus=(replace(NOT_PASSED, name="NVIDIA GeForce RTX 4070", driver="560.35.03", address="0000:01:00.0"),),
        engine=engine(backends=("CUDA",)),
        gaps=(
            Told(
                cause=GapCause.NOT_PASSED,
                sentence="The machine has NVIDIA GeForce RTX 4070, but it is not passed on to this container.",
                command="docker run --gpus all",
            ),
        ),
        fallback=GapCause.NOT_PASSED,
    ),
    Recorded(
        name="WSL 2 with Windows' card, engine without CUDA",
        build=wsl,
        place=Place(system="Linux", is_wsl=True),
        memory=MEMORY,
        gpus=(RTX_4070,),
        engine=engine(),
        gaps=(_no_backend("NVIDIA GeForce RTX 4070", "driver 560.35.03 (CUDA 12.6)", "CUDA", "CUDA"),),
        fallback=GapCause.BACKEND_MISSING,
    ),
    Recorded(
        name="WSL 1, which does not reach Windows' card",
        build=wsl_1,
        place=Place(system="Linux", is_wsl=True),
        memory=MEMORY,
        gpus=(NOT_PASSED,),
        engine=engine(),
        gaps=(
            Told(
                cause=GapCause.NOT_PASSED,
                sentence="Windows has NVIDIA GPU, but this WSL does not reach it.",
                command="wsl --update",
            ),
        ),
        fallback=GapCause.NOT_PASSED,
    ),
    Recorded(
        name="server without a GPU, whose CPU can more than the engine build uses",
        build=server,
        place=LINUX,
        memory=MEMORY,
        gpus=(),
        engine=engine(features=X86_BUILD),
        gaps=(
            Told(
                cause=GapCause.CPU_FEATURES_UNUSED,
                sentence="This engine build does not use what the CPU can: AMX INT8, AVX512 VNNI, AVX512F.",
                command=f'CMAKE_ARGS="-DGGML_NATIVE=on" {PIP}',
                is_note=True,
            ),
        ),
    ),
    Recorded(
        name="server with an engine made for any CPU",
        build=server,
        place=LINUX,
        memory=MEMORY,
        gpus=(),
        engine=engine(features="CPU : SSE3 = 1 | SSSE3 = 1 | OPENMP = 1"),
        gaps=(
            Told(
                cause=GapCause.CPU_FEATURES_UNUSED,
                sentence="This engine build does not use what the CPU can: "
                "AMX INT8, AVX, AVX2, AVX512 VNNI, AVX512F, BMI2, F16C, FMA.",
                command=f'CMAKE_ARGS="-DGGML_NATIVE=on" {PIP}',
            ),
        ),
    ),
)
