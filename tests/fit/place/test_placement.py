"""Layers go where llama.cpp puts them."""

from math import inf, nan

import pytest
from tests.fit.forged import GIB, cpu, gpu, llama_shape

from quern.fit.buffer.settings_refused import SettingsRefused
from quern.fit.place.offload import offload_devices
from quern.fit.place.placement import place
from quern.hardware import DeviceKind
from quern.spec import LoadSettings

SHAPE = llama_shape(n_layer=32)


def test_without_a_gpu_everything_is_the_hosts() -> None:
    placed = place(SHAPE, LoadSettings(), (cpu(),))
    assert placed.is_on_host_alone
    assert set(placed.layers) == {placed.output} == {"CPU"}


def test_zero_gpu_layers_leave_a_gpu_out_altogether() -> None:
    placed = place(SHAPE, LoadSettings(n_gpu_layers=0), (cpu(), gpu()))
    assert placed.devices == ()


def test_all_layers_and_the_output_are_offloaded_unless_said_otherwise() -> None:
    placed = place(SHAPE, LoadSettings(), (cpu(), gpu()))
    assert placed.offloads_all
    assert placed.layers == ("CUDA0",) * 32


@pytest.mark.parametrize(("n", "n_layers"), [(1, 0), (2, 1), (20, 19), (33, 32), (34, 32), (10_000, 32)])
def test_the_output_is_offloaded_first_and_then_the_last_layers(n: int, n_layers: int) -> None:
    placed = place(SHAPE, LoadSettings(n_gpu_layers=n), (cpu(), gpu()))
    assert placed.output == "CUDA0"
    assert placed.layers == ("CPU",) * (32 - n_layers) + ("CUDA0",) * n_layers


def test_layers_are_shared_out_by_free_memory() -> None:
    placed = place(SHAPE, LoadSettings(), (cpu(), gpu("CUDA0", 8 * GIB), gpu("CUDA1", 24 * GIB)))
    assert placed.layers.count("CUDA0") == 9  # positions 0/33 to 8/33 lie below a quarter
    assert placed.output == "CUDA1"


def test_whole_numbers_of_layers_as_shares_give_just_those() -> None:
    devices = (cpu(), *(gpu(f"CUDA{n}") for n in range(3)))
    for counts in [(1, 1, 31), (11, 11, 11), (7, 25, 1), (0, 33, 0), (32, 0, 1)]:
        placed = place(SHAPE, LoadSettings(tensor_split=tuple(map(float, counts))), devices)
        held = (*placed.layers, placed.output)
        assert tuple(held.count(f"CUDA{n}") for n in range(3)) == counts


def test_experts_stay_behind_by_layer() -> None:
    placed = place(SHAPE, LoadSettings(n_cpu_moe_layers=5), (cpu(), gpu()))
    assert placed.n_cpu_moe_layers == 5
    assert not placed.offloads_all


@pytest.mark.parametrize(
    "split", [(1.0,), (1.0, 1.0, 1.0), (1.0, -1.0), (nan, 1.0), (inf, 1.0), (1e300, 1.0), (3e38, 3e38)]
)
def test_shares_that_do_not_go_with_the_gpus_are_refused(split: tuple[float, ...]) -> None:
    with pytest.raises(SettingsRefused):
        place(SHAPE, LoadSettings(tensor_split=split), (cpu(), gpu("CUDA0"), gpu("CUDA1")))


def test_shares_of_nothing_are_no_shares() -> None:
    devices = (cpu(), gpu("CUDA0", 4 * GIB), gpu("CUDA1", 4 * GIB))
    assert place(SHAPE, LoadSettings(tensor_split=(0.0, 0.0, 0.0)), devices) == place(SHAPE, LoadSettings(), devices)


def test_a_gpu_that_reports_no_memory_counts_as_the_host() -> None:
    silent = gpu("RPC0", 0, backend="RPC")
    placed = place(SHAPE, LoadSettings(), (cpu(8 * GIB), silent, gpu("CUDA0", 8 * GIB)))
    assert placed.layers.count("RPC0") == 17


def test_an_integrated_gpu_counts_only_where_there_is_no_other() -> None:
    integrated = gpu("Vulkan0", kind=DeviceKind.INTEGRATED_GPU, backend="Vulkan")
    assert offload_devices((cpu(), integrated)) == (integrated,)
    assert offload_devices((cpu(), integrated, gpu())) == (gpu(),)


def test_a_card_that_two_backends_see_counts_once() -> None:
    cuda = gpu("CUDA0", address="0000:01:00.0")
    vulkan = gpu("Vulkan0", backend="Vulkan", address="0000:01:00.0")
    assert offload_devices((cpu(), cuda, vulkan)) == (cuda,)


def test_integrated_gpus_of_a_second_backend_do_not_count() -> None:
    first = gpu("SYCL0", kind=DeviceKind.INTEGRATED_GPU, backend="SYCL")
    second = gpu("Vulkan0", kind=DeviceKind.INTEGRATED_GPU, backend="Vulkan")
    assert offload_devices((cpu(), first, second)) == (first,)


def test_servers_come_before_cards() -> None:
    server = gpu("RPC0", backend="RPC")
    assert offload_devices((cpu(), gpu(), server)) == (server, gpu())
