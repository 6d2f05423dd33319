"""Sizes depend on where a tensor lies, by the rules of each kind of memory."""

import pytest
from tests.fit.forged import gpu

from quern.fit.place.buffer_type import device_bytes, kernels_of, packed_bytes, stops_engine
from quern.fit.place.offload import memory_of
from quern.fit.place.tensor_role import Home, TensorRole, Use, role_of
from quern.gguf import TensorInfo
from quern.gguf.reading.ggml_type import GGML_TYPES

AMX = kernels_of("CPU : AVX2 = 1 | AVX512 = 1 | AVX512_VNNI = 1 | AMX_INT8 = 1 | REPACK = 1")
X86 = kernels_of("CPU : AVX2 = 1 | REPACK = 1")
ARM = kernels_of("CPU : NEON = 1 | ARM_FMA = 1 | DOTPROD = 1 | MATMUL_INT8 = 0 | REPACK = 1")
BARE = kernels_of("CPU : AVX2 = 1")
NUMBERS = {kind.name: kind for kind in GGML_TYPES.values()}


def tensor(kind: str, *dimensions: int) -> TensorInfo:
    n_elements = 1
    for dimension in dimensions:
        n_elements *= dimension
    element = NUMBERS[kind]
    return TensorInfo("x", dimensions, element, 0, element.nbytes(n_elements))


@pytest.mark.parametrize(
    ("kind", "row_bytes"),
    [
        ("Q4_0", 8 * 18),
        ("Q4_1", 8 * 20),
        ("Q8_0", 8 * 38),
        ("Q4_K", 148),
        ("Q5_K", 180),
        ("Q6_K", 210),
        ("IQ4_XS", 138),
    ],
)
def test_amx_packs_some_types_and_needs_more_room_for_some(kind: str, row_bytes: int) -> None:
    assert packed_bytes(tensor(kind, 256, 64), Use.MULTIPLIED, AMX) == 64 * row_bytes


def test_amx_keeps_half_precision_as_it_is() -> None:
    half = tensor("F16", 256, 64)
    assert packed_bytes(half, Use.MULTIPLIED, AMX) == half.nbytes


def test_amx_takes_no_experts_and_no_odd_columns() -> None:
    assert packed_bytes(tensor("Q8_0", 256, 64, 4), Use.EXPERTS, AMX) is None
    assert packed_bytes(tensor("Q8_0", 256, 48), Use.MULTIPLIED, AMX) is None


def test_a_stack_of_matrices_for_amx_stops_the_engine() -> None:
    assert stops_engine(tensor("Q8_0", 128, 512, 16), AMX)
    assert not stops_engine(tensor("Q8_0", 128, 512), AMX)
    assert not stops_engine(tensor("Q8_0", 128, 512, 16), X86)


@pytest.mark.parametrize(
    ("kind", "on_x86", "on_arm"),
    [
        ("Q4_0", True, True),
        ("Q4_K", True, True),
        ("Q5_K", False, True),
        ("Q6_K", False, True),
        ("Q8_0", False, True),
        ("IQ4_NL", True, True),
        ("MXFP4", True, True),
        ("Q4_1", False, False),
        ("F16", False, False),
    ],
)
def test_repacking_depends_on_type_and_processor(kind: str, on_x86: bool, on_arm: bool) -> None:
    matrix = tensor(kind, 256, 64)
    assert (packed_bytes(matrix, Use.MULTIPLIED, X86) == matrix.nbytes) == on_x86
    assert (packed_bytes(matrix, Use.MULTIPLIED, ARM) == matrix.nbytes) == on_arm


def test_only_whole_groups_of_rows_are_interleaved() -> None:
    assert packed_bytes(tensor("Q4_0", 256, 60), Use.MULTIPLIED, X86) is None
    assert packed_bytes(tensor("Q4_0", 256, 60), Use.MULTIPLIED, ARM) is not None


def test_experts_are_repacked_as_stacks() -> None:
    assert packed_bytes(tensor("Q4_0", 256, 64, 4), Use.EXPERTS, X86) is not None
    assert packed_bytes(tensor("Q4_0", 256, 64, 4), Use.MULTIPLIED, X86) is None


def test_what_is_looked_up_and_builds_without_kernels_stay_plain() -> None:
    assert packed_bytes(tensor("Q4_0", 256, 64), Use.OTHER, AMX) is None
    assert packed_bytes(tensor("Q4_0", 256, 64), Use.MULTIPLIED, BARE) is None


def test_cuda_fills_up_the_last_row_and_aligns() -> None:
    cuda = memory_of(gpu())
    assert device_bytes(tensor("Q8_0", 512, 3), cuda) == -(-(3 * 16 * 34) // 128) * 128
    assert device_bytes(tensor("Q8_0", 480, 3), cuda) == -(-(3 * 15 * 34 + 34) // 128) * 128
    assert device_bytes(tensor("F32", 480), cuda) == 480 * 4


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("token_embd.weight", TensorRole(Home.INPUT, 0, Use.OTHER)),
        ("per_layer_token_embd.weight", TensorRole(Home.INPUT, 0, Use.OTHER)),
        ("output.weight", TensorRole(Home.OUTPUT, 0, Use.MULTIPLIED)),
        ("token_embd_norm.weight", TensorRole(Home.LAYER, 0, Use.MULTIPLIED)),
        ("rope_freqs.weight", TensorRole(Home.EVERY_LAYER, 0, Use.OTHER)),
        ("blk.17.attn_q.weight", TensorRole(Home.LAYER, 17, Use.MULTIPLIED)),
        ("blk.3.attn_q.bias", TensorRole(Home.LAYER, 3, Use.OTHER)),
        ("blk.3.ffn_gate_exps.weight", TensorRole(Home.LAYER, 3, Use.EXPERTS)),
        ("blk.3.ffn_gate_up_exps.weight", TensorRole(Home.LAYER, 3, Use.EXPERTS)),
        ("blk.3.ffn_down_chexps.weight", TensorRole(Home.LAYER, 3, Use.EXPERTS)),
        ("blk.3.ffn_gate_shexp.weight", TensorRole(Home.LAYER, 3, Use.MULTIPLIED)),
        ("blk.3.ssm_a", TensorRole(Home.LAYER, 3, Use.OTHER)),
        ("blk.3.ssm_conv1d.weight", TensorRole(Home.LAYER, 3, Use.OTHER)),
        ("dec.blk.2.cross_attn_rel_b.weight", TensorRole(Home.UNUSED, 2, Use.OTHER)),
        ("dec.blk.2.attn_q.weight", TensorRole(Home.LAYER, 2, Use.MULTIPLIED)),
        ("masked_embd_ordering.weight", TensorRole(Home.UNUSED, 0, Use.OTHER)),
    ],
)
def test_a_name_says_where_a_tensor_belongs(name: str, role: TensorRole) -> None:
    assert role_of(name, "llama") == role


def test_the_misnamed_output_norm_of_lfm2_goes_with_the_output() -> None:
    assert role_of("token_embd_norm.weight", "lfm2").home is Home.OUTPUT
