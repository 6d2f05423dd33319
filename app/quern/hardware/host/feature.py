"""One spelling for CPU features, whatever the system calls them."""

from collections.abc import Iterable

# Spelling here -> spellings of /proc/cpuinfo and sysctl (lower case). Only what llama.cpp's CPU kernels are chosen by
# (ggml/src/ggml-cpu/ggml-cpu.cpp, ggml_backend_cpu_get_features).
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "sse3": ("sse3", "pni"),
    "ssse3": ("ssse3",),
    "sse4_2": ("sse4_2", "sse4.2"),
    "f16c": ("f16c",),
    "fma": ("fma",),
    "bmi2": ("bmi2",),
    "avx": ("avx", "avx1.0"),
    "avx2": ("avx2",),
    "avx_vnni": ("avx_vnni",),
    "avx512f": ("avx512f",),
    "avx512_vbmi": ("avx512vbmi", "avx512_vbmi"),
    "avx512_vnni": ("avx512_vnni", "avx512vnni"),
    "avx512_bf16": ("avx512_bf16",),
    "amx_tile": ("amx_tile",),
    "amx_int8": ("amx_int8",),
    "amx_bf16": ("amx_bf16",),
    "neon": ("neon", "asimd", "hw.optional.neon", "hw.optional.advsimd"),
    "fp16": ("asimdhp", "hw.optional.arm.feat_fp16"),
    "dotprod": ("asimddp", "hw.optional.arm.feat_dotprod"),
    "i8mm": ("i8mm", "hw.optional.arm.feat_i8mm"),
    "bf16": ("bf16", "hw.optional.arm.feat_bf16"),
    "sve": ("sve",),
    "sve2": ("sve2",),
    "sme": ("sme", "hw.optional.arm.feat_sme"),
    "vxe": ("vxe",),
    "nnpa": ("nnpa",),
}


def known_features(spellings: Iterable[str]) -> tuple[str, ...]:
    """Return the features that `spellings` name, in Quern's spelling, sorted; others are left out."""
    found = {spelling.lower() for spelling in spellings}
    return tuple(sorted(name for name, known in _SPELLINGS.items() if found.intersection(known)))
