"""What a Linux machine may also say of its GPUs, without anybody being upset."""

from pathlib import Path

import pytest

from quern.hardware import Gpu, GpuFault, Vendor, detect_gpus
from quern.hardware.vendor.amd import gfx_target

from .recorded.fake_nvml import NO_PERMISSION
from .recorded.tree import LinuxTree, never

ADDRESS = "0000:03:00.0"
FOLDER = f"sys/bus/pci/devices/{ADDRESS}"


@pytest.fixture
def tree(tmp_path: Path) -> LinuxTree:
    return LinuxTree(tmp_path)


def only_gpu(tree: LinuxTree) -> Gpu:
    (gpu,) = detect_gpus(tree.system())
    return gpu


def test_a_machine_without_a_bus_has_no_gpu(tree: LinuxTree) -> None:
    assert detect_gpus(tree.system(nvml=never)) == ()


def test_strange_files_are_read_as_if_they_were_not_there(tree: LinuxTree) -> None:
    tree.gpu(ADDRESS, "1002:744c:zz", "amdgpu", render="renderD128")
    tree.write(f"{FOLDER}/mem_info_vram_total", "lots").write(f"{FOLDER}/resource", "0x1\nzero one\n\n")
    tree.write("sys/class/kfd/kfd/topology/nodes/0/properties", "gfx_target_version\nlocation_id x\n 7 7 7\n")
    tree.write("usr/share/misc/pci.ids", "\t744c\n1002\n\t744c  \n").write("usr/share/libdrm/amdgpu.ids", ",,\n1")
    tree.write("opt/rocm/.info/version", "-")
    gpu = only_gpu(tree)
    assert (gpu.name, gpu.total, gpu.free, gpu.target, gpu.platform) == ("AMD GPU 744c", None, None, None, None)


def test_a_name_in_no_list_is_the_number_of_the_device(tree: LinuxTree) -> None:
    assert only_gpu(tree.gpu(ADDRESS, "8086:ffff:00", "xe", render="renderD128")).name == "Intel GPU ffff"


def test_a_name_of_amds_own_file_is_taken(tree: LinuxTree) -> None:
    tree.gpu(ADDRESS, "1002:74a1:00", "amdgpu", kind="0x120000", render="renderD128")
    tree.write(f"{FOLDER}/product_name", "AMD Instinct MI300X OAM\n")
    assert only_gpu(tree).name == "AMD Instinct MI300X OAM"


def test_another_makers_gpu_is_told_without_facts(tree: LinuxTree) -> None:
    gpu = only_gpu(tree.gpu(ADDRESS, "1ed5:0200:00", "mtgpu", render="renderD128"))
    assert (gpu.vendor, gpu.name, gpu.fault) == (Vendor.OTHER, "GPU 0200", None)


@pytest.mark.parametrize(
    ("version", "target"), [(90010, "gfx90a"), (110000, "gfx1100"), (110501, "gfx1151"), (90402, "gfx942")]
)
def test_a_target_is_written_as_compilers_write_it(version: int, target: str) -> None:
    assert gfx_target(version) == target


def test_a_card_whose_driver_is_gone_since_the_start_is_without_driver(tree: LinuxTree) -> None:
    assert only_gpu(tree.gpu(ADDRESS, "1002:744c:c8")).fault is GpuFault.NO_DRIVER


def test_a_card_without_a_device_file_is_not_passed_on_in_a_container(tree: LinuxTree) -> None:
    tree.gpu(ADDRESS, "1002:744c:c8", "amdgpu").write(".dockerenv")
    assert only_gpu(tree).fault is GpuFault.NOT_PASSED


def test_a_card_of_amd_that_reads_as_ones_is_lost(tree: LinuxTree) -> None:
    tree.gpu(ADDRESS, "1002:744c:c8", "amdgpu", render="renderD128")
    (tree.root / FOLDER / "config").write_bytes(b"\xff" * 64)
    assert only_gpu(tree).fault is GpuFault.LOST


def test_an_nvidia_card_that_this_account_may_not_use(tree: LinuxTree) -> None:
    tree.nvidia_driver("560.35.03", 12060).gpu(ADDRESS, "10de:2786:a1", "nvidia")
    tree.nvml.init_fails = NO_PERMISSION
    assert only_gpu(tree).fault is GpuFault.NO_PERMISSION


def test_an_nvidia_card_that_only_the_driver_shows(tree: LinuxTree) -> None:
    tree.nvidia_driver("560.35.03", 12060).write(".dockerenv")
    tree.nvml.init_fails = 12
    gpu = only_gpu(tree)
    assert (gpu.name, gpu.fault) == ("NVIDIA GPU", GpuFault.NOT_PASSED)


def test_folders_that_may_not_be_entered_are_as_if_they_were_not_there(
    tree: LinuxTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    system = tree.gpu(ADDRESS, "1002:744c:c8", "amdgpu").system(nvml=never)
    for name in ("exists", "iterdir", "read_text"):
        monkeypatch.setattr(Path, name, refuse)
    assert system.gpus() == ()
    assert (system.place().container, system.place().is_wsl) == (None, False)
    assert system.memory().total_bytes == 0
