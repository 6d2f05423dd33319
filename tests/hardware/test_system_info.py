"""llama.cpp's line about its build is read."""

from quern.hardware import backend_facts, feature_name, used_features
from quern.hardware.system_info import cuda_targets, unused_features

LINE = "CPU : AVX = 1 | AVX512 = 1 | MATMUL_INT8 = 1 | CUDA : ARCHS = 750,890 | USE_GRAPHS = 1 | "


def test_each_backend_has_its_facts() -> None:
    assert backend_facts(LINE) == {
        "CPU": {"AVX": "1", "AVX512": "1", "MATMUL_INT8": "1"},
        "CUDA": {"ARCHS": "750,890", "USE_GRAPHS": "1"},
    }
    assert backend_facts("") == {}


def test_a_cpus_features_are_used_or_not() -> None:
    features = ("amx_tile", "avx", "avx2", "avx512f", "i8mm", "sme")
    assert used_features(features, LINE) == ("avx", "avx512f", "i8mm")
    assert unused_features(features, LINE) == ("avx2",)


def test_cuda_targets_are_numbers() -> None:
    assert cuda_targets(LINE) == (750, 890)
    assert cuda_targets("CUDA : ARCHS = native") == cuda_targets("CPU : AVX = 1") == ()


def test_features_are_written_as_makers_write_them() -> None:
    assert [feature_name(name) for name in ("sse4_2", "avx512_vnni", "neon")] == ["SSE4.2", "AVX512 VNNI", "NEON"]
