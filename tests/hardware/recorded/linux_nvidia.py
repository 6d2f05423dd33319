"""Linux machines with NVIDIA GPUs: NVML, /proc/driver/nvidia, the PCI bus."""

from dataclasses import replace
from pathlib import Path

from quern.hardware import EngineDevice, GapCause, Gpu, GpuFault, Memory, Place, Vendor
from quern.hardware.system import System

from .fake_nvml import GPU_IS_LOST, VERSION_MISMATCH, Card, rtx_3090, rtx_4070
from .fake_nvml import Memory as CardMemory
from .machine import GIB, PIP, X86_BUILD, Recorded, Told, engine, seen
from .tree import LinuxTree, never

LINUX = Place(system="Linux")
MEMORY = Memory(total_bytes=64 * GIB, available_bytes=48 * GIB)
COMPUTER = (64 << 20, 48 << 20)
CUDA_BUILD = f"{X86_BUILD} | CUDA : ARCHS = 500,610,750,860,890 | USE_GRAPHS = 1"

RTX_4070 = Gpu(
    vendor=Vendor.NVIDIA,
    name="NVIDIA GeForce RTX 4070",
    total=12 * GIB,
    free=11 * GIB,
    driver="560.35.03",
    platform="CUDA 12.6",
    target="8.9",
    address="0000:01:00.0",
)
UHD_770 = Gpu(
    vendor=Vendor.INTEL,
    name="Intel UHD Graphics 770",
    driver="i915 of Linux 6.8.0-45-generic",
    is_unified=True,
    address="0000:00:02.0",
)


def desktop(root: Path) -> System:
    """An Intel processor with its own GPU, and an RTX 4070."""
    tree = LinuxTree(root).computer(*COMPUTER).nvidia_driver("560.35.03", 12060)
    tree.gpu("0000:00:02.0", "8086:a780:04", "i915", render="renderD128")
    tree.gpu("0000:01:00.0", "10de:2786:a1", "nvidia", render="renderD129")
    tree.nvml.cards = [rtx_4070()]
    return tree.system()


def four_cards(root: Path) -> System:
    """A workstation."""
    tree = LinuxTree(root).computer(*COMPUTER).nvidia_driver("550.54.14", 12040)
    for bus in ("01", "02", "41", "42"):
        tree.gpu(f"0000:{bus}:00.0", "10de:2684:a1", "nvidia")
        memory = CardMemory(24 * GIB, (23 if bus == "01" else 24) * GIB)
        tree.nvml.cards.append(Card("NVIDIA GeForce RTX 4090", f"00000000:{bus}:00.0", (8, 9), memory))
    return tree.system()


def old_driver(root: Path) -> System:
    """A driver of 2021."""
    tree = LinuxTree(root).computer(*COMPUTER).nvidia_driver("470.256.02", 11040)
    tree.gpu("0000:01:00.0", "10de:2204:a1", "nvidia")
    tree.nvml.cards = [rtx_3090("00000000:01:00.0")]
    return tree.system()


def fallen_off(root: Path) -> System:
    """Two cards, of which one reads as ones: NVML finds its handle lost."""
    tree = LinuxTree(root).computer(*COMPUTER).nvidia_driver("560.35.03", 12060)
    tree.gpu("0000:01:00.0", "10de:2204:a1", "nvidia").gpu("0000:21:00.0", "10de:2204:a1", "nvidia")
    (root / "sys/bus/pci/devices/0000:01:00.0/config").write_bytes(b"\xde\x10\x04\x22")
    (root / "sys/bus/pci/devices/0000:21:00.0/config").write_bytes(b"\xff\xff\xff\xff")
    lost = rtx_3090("00000000:21:00.0")
    lost.fails = GPU_IS_LOST
    tree.nvml.cards = [rtx_3090("00000000:01:00.0"), lost]
    return tree.system()


def updated_driver(root: Path) -> System:
    """The driver's library is newer than the module in the kernel."""
    tree = LinuxTree(root).computer(*COMPUTER).nvidia_driver("550.54.14", 12040)
    tree.gpu("0000:01:00.0", "10de:2786:a1", "nvidia")
    tree.nvml.init_fails = VERSION_MISMATCH
    return tree.system()


def nouveau(root: Path) -> System:
    """A fresh system with the free driver; nothing of NVIDIA's is there."""
    tree = LinuxTree(root).computer(*COMPUTER)
    tree.gpu("0000:01:00.0", "10de:2786:a1", "nouveau", render="renderD128")
    return tree.system(nvml=never)


def old_card(root: Path) -> System:
    """A Pascal card, older than the engine's kernels."""
    tree = LinuxTree(root).computer(*COMPUTER).nvidia_driver("560.35.03", 12060)
    tree.gpu("0000:01:00.0", "10de:1c03:a1", "nvidia")
    memory = CardMemory(6 * GIB, 5 * GIB)
    tree.nvml.cards = [Card("NVIDIA GeForce GTX 1060 6GB", "00000000:01:00.0", (6, 1), memory)]
    return tree.system()


def partitioned(root: Path) -> System:
    """A Kubernetes pod with one of an A100's partitions; control groups of version 1."""
    tree = LinuxTree(root).computer(1024 << 20, 900 << 20).nvidia_driver("550.54.14", 12040)
    tree.write("run/secrets/kubernetes.io/serviceaccount/namespace", "default")
    tree.write("proc/self/cgroup", "9:memory:/kubepods/burstable/pod1\n0::/system.slice\n")
    tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", str(32 * GIB))
    tree.write("sys/fs/cgroup/memory/memory.usage_in_bytes", str(2 * GIB))
    tree.gpu("0000:07:00.0", "10de:20b0:a1", "nvidia", kind="0x030200")
    partition = Card("NVIDIA A100-SXM4-40GB MIG 3g.20gb", "", (8, 0), CardMemory(20 * GIB, 19 * GIB))
    card = Card("NVIDIA A100-SXM4-40GB", "00000000:07:00.0", (8, 0), CardMemory(40 * GIB, 39 * GIB), mig=1)
    card.partitions = [None, partition]
    tree.nvml.cards = [card]
    return tree.system()


def grace_hopper(root: Path) -> System:
    """GH200: the GPU's 96 GiB are a NUMA node without CPUs, which Linux counts as memory of the machine."""
    tree = LinuxTree(root).computer((480 + 96) << 20, (400 + 90) << 20, features="")
    tree.nvidia_driver("560.35.03", 12060)
    tree.write("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x410fd4f0")
    tree.write("sys/devices/system/node/node0/cpulist", "0-71")
    tree.write("sys/devices/system/node/node0/meminfo", f"Node 0 MemTotal: {480 << 20} kB\n")
    tree.write("sys/devices/system/node/node1/cpulist", "\n")
    tree.write(
        "sys/devices/system/node/node1/meminfo",
        f"Node 1 MemTotal:       {96 << 20} kB\nNode 1 MemFree:        {90 << 20} kB\n",
    )
    tree.gpu("0009:01:00.0", "10de:2342:a1", "nvidia", kind="0x030200")
    tree.nvml.cards = [Card("NVIDIA GH200 480GB", "00000009:01:00.0", (9, 0), CardMemory(96 * GIB, 90 * GIB))]
    return tree.system()


def spark(root: Path) -> System:
    """DGX Spark: the GPU has no memory of its own, and NVML says that it cannot tell any."""
    tree = LinuxTree(root).computer(120 << 20, 100 << 20, features="").nvidia_driver("580.95.05", 13000)
    tree.gpu("000f:01:00.0", "10de:2e12:a1", "nvidia")
    tree.nvml.cards = [Card("NVIDIA GB10", "0000000F:01:00.0", (12, 1))]
    return tree.system()


def _cuda(name: str, address: str, index: int = 0) -> EngineDevice:
    return seen(f"CUDA{index}", "CUDA", name, address)


RTX_3090 = replace(RTX_4070, name="NVIDIA GeForce RTX 3090", total=24 * GIB, free=23 * GIB, target="8.6")
MACHINES = (
    Recorded(
        name="desktop whose engine uses the card; the processor's own GPU stands idle on purpose",
        build=desktop,
        place=LINUX,
        memory=MEMORY,
        gpus=(UHD_770, RTX_4070),
        engine=engine(_cuda("NVIDIA GeForce RTX 4070", "0000:01:00.0"), features=CUDA_BUILD, cuda_runtime="12.4"),
    ),
    Recorded(
        name="desktop whose engine build has no CUDA",
        build=desktop,
        place=LINUX,
        memory=MEMORY,
        gpus=(UHD_770, RTX_4070),
        engine=engine(),
        gaps=(
            Told(
                cause=GapCause.BACKEND_MISSING,
                sentence="NVIDIA GeForce RTX 4070 found, driver 560.35.03 (CUDA 12.6); this engine build has no CUDA.",
                command=f'CMAKE_ARGS="-DGGML_CUDA=on" {PIP}',
            ),
        ),
        fallback=GapCause.BACKEND_MISSING,
    ),
    Recorded(
        name="desktop whose card is hidden by the environment",
        build=desktop,
        place=LINUX,
        memory=MEMORY,
        gpus=(UHD_770, RTX_4070),
        engine=engine(
            seen("Vulkan0", "Vulkan", "Intel(R) UHD Graphics 770 (RPL-S)"),
            backends=("CUDA", "Vulkan"),
            hidden_by=("HIP_VISIBLE_DEVICES=0", "CUDA_VISIBLE_DEVICES=-1"),
        ),
        gaps=(
            Told(
                cause=GapCause.DEVICE_HIDDEN,
                sentence="The environment variable CUDA_VISIBLE_DEVICES=-1 hides NVIDIA GeForce RTX 4070 from the "
                "engine.",
                command="unset CUDA_VISIBLE_DEVICES",
            ),
        ),
    ),
    Recorded(
        name="workstation with four equal cards, one of them busy, and no CUDA",
        build=four_cards,
        place=LINUX,
        memory=MEMORY,
        gpus=tuple(
            replace(
                RTX_4070,
                name="NVIDIA GeForce RTX 4090",
                total=24 * GIB,
                free=(23 if bus == "01" else 24) * GIB,
                driver="550.54.14",
                platform="CUDA 12.4",
                address=f"0000:{bus}:00.0",
            )
            for bus in ("01", "02", "41", "42")
        ),
        engine=engine(),
        gaps=(
            Told(
                cause=GapCause.BACKEND_MISSING,
                sentence="4 × NVIDIA GeForce RTX 4090 found, driver 550.54.14 (CUDA 12.4); this engine build has no "
                "CUDA.",
                command=f'CMAKE_ARGS="-DGGML_CUDA=on" {PIP}',
            ),
        ),
        fallback=GapCause.BACKEND_MISSING,
    ),
    Recorded(
        name="driver older than the engine's CUDA",
        build=old_driver,
        place=LINUX,
        memory=MEMORY,
        gpus=(replace(RTX_3090, driver="470.256.02", platform="CUDA 11.4"),),
        engine=engine(
            backends=("CUDA",),
            cuda_runtime="12.4",
            complaint="failed to initialize CUDA: CUDA driver version is insufficient for CUDA runtime version",
        ),
        gaps=(
            Told(
                cause=GapCause.DRIVER_TOO_OLD,
                sentence="NVIDIA GeForce RTX 3090 found, but its driver 470.256.02 runs CUDA 11.4; this engine build "
                "needs CUDA 12.4.",
                command=f'CMAKE_ARGS="-DGGML_CUDA=on" {PIP}',
            ),
        ),
        fallback=GapCause.DRIVER_TOO_OLD,
    ),
    Recorded(
        name="one of two cards has fallen off the bus",
        build=fallen_off,
        place=LINUX,
        memory=MEMORY,
        gpus=(
            RTX_3090,
            Gpu(
                vendor=Vendor.NVIDIA,
                name="NVIDIA GeForce RTX 3090",
                driver="560.35.03",
                address="0000:21:00.0",
                fault=GpuFault.LOST,
            ),
        ),
        engine=engine(_cuda("NVIDIA GeForce RTX 3090", "0000:01:00.0"), features=CUDA_BUILD),
        gaps=(
            Told(
                cause=GapCause.GPU_LOST,
                sentence="NVIDIA GeForce RTX 3090 has fallen off the bus and no longer answers.",
                command="sudo dmesg | grep -iE 'xid|fallen off|amdgpu'",
            ),
        ),
    ),
    Recorded(
        name="driver updated and not restarted since",
        build=updated_driver,
        place=LINUX,
        memory=MEMORY,
        gpus=(
            Gpu(
                vendor=Vendor.NVIDIA,
                name="NVIDIA GeForce RTX 4070",
                driver="550.54.14",
                address="0000:01:00.0",
                fault=GpuFault.DRIVER_MISMATCH,
            ),
        ),
        engine=engine(backends=("CUDA",), complaint="failed to initialize CUDA: system has unsupported display driver"),
        gaps=(
            Told(
                cause=GapCause.DRIVER_MISMATCH,
                sentence="NVIDIA GeForce RTX 4070 found, but the driver was updated while the old one 550.54.14 still "
                "runs.",
            ),
        ),
        fallback=GapCause.DRIVER_MISMATCH,
    ),
    Recorded(
        name="free driver instead of NVIDIA's",
        build=nouveau,
        place=LINUX,
        memory=MEMORY,
        gpus=(
            Gpu(
                vendor=Vendor.NVIDIA,
                name="NVIDIA GeForce RTX 4070",
                address="0000:01:00.0",
                fault=GpuFault.NO_DRIVER,
            ),
        ),
        engine=engine(),
        gaps=(
            Told(
                cause=GapCause.DRIVER_MISSING,
                sentence="NVIDIA GeForce RTX 4070 found, but the driver is not installed or not loaded.",
            ),
        ),
        fallback=GapCause.DRIVER_MISSING,
    ),
    Recorded(
        name="card older than the engine's kernels",
        build=old_card,
        place=LINUX,
        memory=MEMORY,
        gpus=(replace(RTX_4070, name="NVIDIA GeForce GTX 1060 6GB", total=6 * GIB, free=5 * GIB, target="6.1"),),
        engine=engine(
            _cuda("NVIDIA GeForce GTX 1060 6GB", "0000:01:00.0"),
            features=f"{X86_BUILD} | CUDA : ARCHS = 750,800,890",
        ),
        gaps=(
            Told(
                cause=GapCause.TARGET_MISSING,
                sentence="NVIDIA GeForce GTX 1060 6GB has compute capability 6.1; this engine build has kernels for "
                "7.5 and newer.",
                command=f'CMAKE_ARGS="-DGGML_CUDA=on -DCMAKE_CUDA_ARCHITECTURES=61" {PIP}',
            ),
        ),
    ),
    Recorded(
        name="pod with a partition of a card, limited by control groups of version 1",
        build=partitioned,
        place=Place(system="Linux", container="kubernetes"),
        memory=Memory(total_bytes=32 * GIB, available_bytes=30 * GIB, installed_bytes=1024 * GIB),
        gpus=(
            replace(
                RTX_4070,
                name="NVIDIA A100-SXM4-40GB MIG 3g.20gb",
                total=20 * GIB,
                free=19 * GIB,
                driver="550.54.14",
                platform="CUDA 12.4",
                target="8.0",
                address="0000:07:00.0",
            ),
        ),
        engine=engine(_cuda("NVIDIA A100-SXM4-40GB MIG 3g.20gb", "0000:07:00.0"), features=CUDA_BUILD),
    ),
    Recorded(
        name="Grace Hopper, whose GPU memory is not counted twice",
        build=grace_hopper,
        place=LINUX,
        memory=Memory(total_bytes=480 * GIB, available_bytes=400 * GIB),
        gpus=(
            replace(
                RTX_4070,
                name="NVIDIA GH200 480GB",
                total=96 * GIB,
                free=90 * GIB,
                target="9.0",
                address="0009:01:00.0",
            ),
        ),
        engine=engine(_cuda("NVIDIA GH200 480GB", "0009:01:00.0"), features="CUDA : ARCHS = 900"),
    ),
    Recorded(
        name="DGX Spark, whose GPU works in the machine's memory",
        build=spark,
        place=LINUX,
        memory=Memory(total_bytes=120 * GIB, available_bytes=100 * GIB),
        gpus=(
            Gpu(
                vendor=Vendor.NVIDIA,
                name="NVIDIA GB10",
                driver="580.95.05",
                platform="CUDA 13.0",
                target="12.1",
                is_unified=True,
                address="000f:01:00.0",
            ),
        ),
        engine=engine(backends=("CUDA",), complaint="failed to initialize CUDA: no CUDA-capable device is detected"),
        gaps=(
            Told(
                cause=GapCause.DEVICE_MISSING,
                sentence="NVIDIA GB10 found, and this engine build has CUDA, but it does not see the GPU: failed to "
                "initialize CUDA: no CUDA-capable device is detected.",
                command=f'CMAKE_ARGS="-DGGML_CUDA=on" {PIP}',
            ),
        ),
        fallback=GapCause.DEVICE_MISSING,
    ),
)
