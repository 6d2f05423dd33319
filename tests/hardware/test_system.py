"""Each operating system's answers become the same values; fakes stand in for the systems that are not here."""

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quern.hardware import Memory, Vendor, default_thread_count, detect_cpu, detect_machine, detect_memory
from quern.hardware.host.linux import LinuxSystem
from quern.hardware.host.mac import MacSystem
from quern.hardware.host.windows import WindowsCalls, WindowsSystem
from quern.hardware.system import this_system

from .recorded.tree import never
from .recorded.windows_and_mac import FakeRegistry

GIB = 1 << 30


class LinuxTree:
    """A copy of the files that describe a Linux machine."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def add_cores(self, *sibling_lists: str) -> None:
        for siblings in sibling_lists:
            first, _, last = siblings.partition("-")
            for cpu in range(int(first), int(last or first) + 1):
                self.write(f"sys/devices/system/cpu/cpu{cpu}/topology/core_cpus_list", f"{siblings}\n")

    def system(self, n_allowed_cpus: int = 1024) -> LinuxSystem:
        return LinuxSystem(self.root, lambda: n_allowed_cpus)


@pytest.fixture
def tree(tmp_path: Path) -> LinuxTree:
    return LinuxTree(tmp_path)


def cpuinfo(n_logical: int, **lines: str) -> str:
    block = "".join(f"{name.replace('_', ' ')}\t: {value}\n" for name, value in lines.items())
    return "\n".join(f"processor\t: {number}\n{block}" for number in range(n_logical))


def test_linux_x86_with_two_threads_a_core(tree: LinuxTree) -> None:
    tree.write("proc/cpuinfo", cpuinfo(8, model_name="Ryzen 5", flags="fpu pni ssse3 avx avx2 fma f16c avx512vbmi"))
    tree.add_cores("0-1", "2-3", "4-5", "6-7")
    cpu = detect_cpu(tree.system())
    assert (cpu.brand, cpu.n_physical_cores, cpu.n_logical_cores, cpu.n_usable_threads) == ("Ryzen 5", 4, 8, 8)
    assert cpu.features == ("avx", "avx2", "avx512_vbmi", "f16c", "fma", "sse3", "ssse3")
    assert default_thread_count(cpu) == 4


def test_linux_hybrid_cpu_counts_its_fast_cores(tree: LinuxTree) -> None:
    tree.write("proc/cpuinfo", cpuinfo(8, model_name="Core Ultra"))
    tree.add_cores("0-1", "2-3", "4", "5", "6", "7")
    tree.write("sys/devices/cpu_core/cpus", "0-3\n")
    cpu = detect_cpu(tree.system())
    assert (cpu.n_physical_cores, cpu.n_performance_cores) == (6, 2)
    assert default_thread_count(cpu) == 2


def test_linux_arm_board_is_named_by_its_device_tree(tree: LinuxTree) -> None:
    tree.write("proc/cpuinfo", cpuinfo(4, BogoMIPS="108.00", Features="fp asimd asimdhp asimddp i8mm bf16 sve"))
    tree.write("proc/device-tree/model", "Raspberry Pi 5 Model B\x00")
    cpu = detect_cpu(tree.system())
    assert cpu.brand == "Raspberry Pi 5 Model B"
    assert cpu.features == ("bf16", "dotprod", "fp16", "i8mm", "neon", "sve")
    assert cpu.n_physical_cores == 4


def test_affinity_and_a_cpu_quota_limit_the_threads(tree: LinuxTree) -> None:
    tree.write("proc/cpuinfo", cpuinfo(16, model_name="Xeon"))
    assert default_thread_count(detect_cpu(tree.system(n_allowed_cpus=3))) == 3
    tree.write("proc/self/cgroup", "0::/box/inner\n")
    tree.write("sys/fs/cgroup/box/cpu.max", "150000 100000\n")
    tree.write("sys/fs/cgroup/box/inner/cpu.max", "max 100000\n")
    assert default_thread_count(detect_cpu(tree.system())) == 2


def test_there_is_always_one_thread(tree: LinuxTree) -> None:
    assert default_thread_count(detect_cpu(tree.system(n_allowed_cpus=0))) == 1


def test_linux_memory_without_limits(tree: LinuxTree) -> None:
    tree.write("proc/meminfo", f"MemTotal: {16 << 20} kB\nMemFree: {1 << 20} kB\nMemAvailable: {9 << 20} kB\n")
    assert detect_memory(tree.system()) == Memory(total_bytes=16 * GIB, available_bytes=9 * GIB)


def test_a_container_limit_of_any_parent_group_caps_memory(tree: LinuxTree) -> None:
    tree.write("proc/meminfo", f"MemTotal: {64 << 20} kB\nMemAvailable: {50 << 20} kB\n")
    tree.write("proc/self/cgroup", "0::/box/inner\n")
    tree.write("sys/fs/cgroup/box/memory.max", str(4 * GIB))
    tree.write("sys/fs/cgroup/box/memory.current", str(3 * GIB))
    tree.write("sys/fs/cgroup/box/memory.stat", f"anon 5\ninactive_file {2 * GIB}\n")
    tree.write("sys/fs/cgroup/box/inner/memory.max", "max\n")
    limited = Memory(total_bytes=4 * GIB, available_bytes=3 * GIB, installed_bytes=64 * GIB)
    assert detect_memory(tree.system()) == limited


def test_an_old_docker_with_version_1_groups_caps_memory_and_cpus(tree: LinuxTree) -> None:
    tree.write("proc/cpuinfo", cpuinfo(8, model_name="Xeon"))
    tree.write("proc/meminfo", f"MemTotal: {64 << 20} kB\nMemAvailable: {50 << 20} kB\n")
    tree.write("proc/self/cgroup", "5:memory:/docker/1f\n4:cpu,cpuacct:/docker/1f\n1:name=systemd:/docker/1f\n")
    tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", str(2 * GIB))
    tree.write("sys/fs/cgroup/memory/memory.usage_in_bytes", str(GIB))
    tree.write("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 0\n")
    tree.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000")
    tree.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000")
    limited = Memory(total_bytes=2 * GIB, available_bytes=GIB, installed_bytes=64 * GIB)
    assert detect_memory(tree.system()) == limited
    assert detect_cpu(tree.system()).n_usable_threads == 2


def test_an_unlimited_version_1_group_caps_nothing(tree: LinuxTree) -> None:
    tree.write("proc/meminfo", f"MemTotal: {8 << 20} kB\nMemAvailable: {5 << 20} kB\n")
    tree.write("proc/self/cgroup", "5:memory:/\n")
    tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712")
    tree.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")
    assert detect_memory(tree.system()) == Memory(total_bytes=8 * GIB, available_bytes=5 * GIB)


def test_strange_files_are_read_as_if_they_were_not_there(tree: LinuxTree) -> None:
    tree.write("proc/cpuinfo", "\x00\xff: \n:::\nprocessor")
    tree.write("proc/meminfo", "MemTotal: lots kB\nMemAvailable 3\n")
    tree.write("proc/self/cgroup", "nonsense\n0::\n")
    tree.write("sys/fs/cgroup/cpu.max", "0 0")
    tree.write("sys/fs/cgroup/memory.max", "-5")
    tree.write("sys/devices/system/cpu/cpu0/topology/core_cpus_list", "a-b,,")
    machine = detect_machine(tree.system(n_allowed_cpus=2))
    assert machine.memory == Memory(total_bytes=0, available_bytes=0)
    assert machine.cpu.features == ()


def mac(answers: dict[str, str]) -> MacSystem:
    memory = Memory(total_bytes=16 * GIB, available_bytes=8 * GIB)
    return MacSystem(answers.get, lambda: memory, lambda: None, lambda: 0.0)


def test_apple_silicon_computes_on_its_fast_cores() -> None:
    system = mac(
        {
            "machdep.cpu.brand_string": "Apple M2",
            "hw.physicalcpu": "8",
            "hw.logicalcpu": "8",
            "hw.perflevel0.physicalcpu": "4",
            "hw.optional.AdvSIMD": "1",
            "hw.optional.arm.FEAT_DotProd": "1",
            "hw.optional.arm.FEAT_I8MM": "1",
            "hw.optional.arm.FEAT_SME": "0",
        }
    )
    cpu = detect_cpu(system)
    assert (cpu.brand, cpu.n_physical_cores, cpu.n_performance_cores) == ("Apple M2", 8, 4)
    assert cpu.features == ("dotprod", "i8mm", "neon")
    assert default_thread_count(cpu) == 4
    assert detect_memory(system).available_bytes == 8 * GIB


def test_an_intel_mac_tells_its_features_in_two_lists() -> None:
    cpu = detect_cpu(
        mac(
            {
                "machdep.cpu.brand_string": "Intel(R) Core(TM) i7",
                "hw.physicalcpu": "4",
                "hw.logicalcpu": "8",
                "machdep.cpu.features": "SSE3 SSSE3 FMA SSE4.2 AVX1.0 F16C",
                "machdep.cpu.leaf7_features": "AVX2 BMI2",
            }
        )
    )
    assert cpu.features == ("avx", "avx2", "bmi2", "f16c", "fma", "sse3", "sse4_2", "ssse3")
    assert default_thread_count(cpu) == 4


def test_a_mac_that_answers_nothing_is_still_a_machine() -> None:
    cpu = detect_cpu(mac({}))
    assert cpu.n_physical_cores == cpu.n_logical_cores == 1
    assert cpu.brand == cpu.architecture


CPU_KEY = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"


def core(efficiency_class: int, mask: int) -> bytes:
    """One record of GetLogicalProcessorInformationEx."""
    return struct.pack("<IIBB20xHQH6x", 0, 48, 0, efficiency_class, 1, mask, 0)


def windows(name: str, has_feature: Callable[[int], bool], cores: bytes = b"") -> WindowsSystem:
    calls = WindowsCalls(
        has_feature=has_feature,
        core_buffer=lambda: cores,
        n_cpus=lambda: 12,
        memory=lambda: Memory(total_bytes=1, available_bytes=1),
        slept_s=lambda: 0.0,
    )
    return WindowsSystem(FakeRegistry({CPU_KEY: {"ProcessorNameString": name}}), calls, never)


def test_windows_asks_the_registry_and_the_kernel() -> None:
    system = windows("AMD Ryzen 5  \n", {13, 36, 39, 40}.__contains__, core(0, 0b11) * 6)
    cpu = detect_cpu(system)
    assert (cpu.brand, cpu.n_physical_cores, cpu.n_logical_cores) == ("AMD Ryzen 5", 6, 12)
    assert cpu.features == ("avx", "avx2", "sse3", "ssse3")
    assert detect_memory(system).total_bytes == 1


def test_windows_counts_the_cores_of_the_fastest_class() -> None:
    system = windows("Core Ultra 7", lambda _: False, core(1, 0b11) * 2 + core(0, 0b100) * 8)
    cpu = detect_cpu(system)
    assert (cpu.n_physical_cores, cpu.n_performance_cores, cpu.n_efficiency_cores) == (10, 2, 8)
    assert cpu.n_logical_cores == 12


@pytest.mark.parametrize("cores", [b"", b"\x00" * 40, core(0, 1)[:40], struct.pack("<IIBB20xH", 0, 4, 0, 0, 1)])
def test_windows_that_tells_nothing_of_its_cores_has_as_many_as_threads(cores: bytes) -> None:
    cpu = detect_cpu(windows("", lambda _: False, cores))
    assert (cpu.n_physical_cores, cpu.n_logical_cores, cpu.n_performance_cores) == (12, 12, 12)
    assert cpu.brand == cpu.architecture


def test_arm_cores_of_less_than_half_the_speed_are_slow(tree: LinuxTree) -> None:
    tree.write("proc/cpuinfo", cpuinfo(8, model_name="Snapdragon"))
    tree.add_cores(*map(str, range(8)))
    for number, capacity in enumerate((1024, 870, 870, 870, 325, 325, 325, 325)):
        tree.write(f"sys/devices/system/cpu/cpu{number}/cpu_capacity", str(capacity))
    cpu = detect_cpu(tree.system())
    assert (cpu.n_performance_cores, cpu.n_efficiency_cores) == (4, 4)


def test_what_other_programs_hold_is_what_is_neither_free_nor_our_own(tree: LinuxTree) -> None:
    tree.write("proc/meminfo", f"MemTotal: {16 << 20} kB\nMemAvailable: {9 << 20} kB\n")
    tree.write("proc/self/status", f"Name:\tquern\nVmRSS:\t {3 << 20} kB\nRssAnon:\t {2 << 20} kB\n")
    memory = detect_memory(tree.system())
    assert (memory.own_bytes, memory.others_bytes) == (2 * GIB, 5 * GIB)


@pytest.mark.parametrize(
    ("file", "text", "container"),
    [
        ("run/systemd/container", "systemd-nspawn\n", "systemd-nspawn"),
        ("run/.containerenv", "", "podman"),
        ("proc/self/cgroup", "5:memory:/lxc/box\n", "lxc"),
        ("proc/self/cgroup", "0::/user.slice\n", None),
    ],
)
def test_a_container_is_told_by_its_marks(tree: LinuxTree, file: str, text: str, container: str | None) -> None:
    tree.write(file, text)
    assert detect_machine(tree.system()).place.container == container


def test_this_machine_is_described_as_psutil_measures_it() -> None:
    import psutil

    machine = detect_machine(folder=Path.home())
    assert machine.cpu.brand
    assert machine.disk is not None
    assert 0 < machine.disk.free_bytes <= machine.disk.total_bytes
    assert machine.cpu.n_logical_cores == psutil.cpu_count()
    assert 1 <= default_thread_count(machine.cpu) <= machine.cpu.n_logical_cores
    assert 0 < machine.memory.available_bytes <= machine.memory.total_bytes <= psutil.virtual_memory().total


@pytest.mark.parametrize(
    ("name", "kind"),
    [("linux", LinuxSystem), ("darwin", MacSystem), ("win32", WindowsSystem), ("freebsd14", LinuxSystem)],
)
def test_each_platform_has_its_system_and_measures_memory(
    monkeypatch: pytest.MonkeyPatch, name: str, kind: type[object]
) -> None:
    monkeypatch.setattr(sys, "platform", name)
    system = this_system()
    assert isinstance(system, kind)
    assert system.memory().total_bytes > system.memory().available_bytes > 0


def test_describing_this_machine_imports_no_more_than_it_needs() -> None:
    import subprocess

    code = (
        "import sys; from quern.hardware import detect_machine as f; f(); print(*{'psutil', 'pynvml'} & {*sys.modules})"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(result.stdout.split())
    assert ("psutil" in imported) is (sys.platform in ("darwin", "win32"))
    assert ("pynvml" in imported) is any(gpu.vendor is Vendor.NVIDIA and gpu.driver for gpu in detect_machine().gpus)
