"""llama.cpp's own line about a build: `CPU : AVX = 1 | FMA = 1 | CUDA : ARCHS = 890 | USE_GRAPHS = 1`."""

# Quern's spelling of a CPU feature -> the line's (ggml/src/ggml-cpu/ggml-cpu.cpp, ggml_backend_cpu_get_features).
# Features that no kernel is built for are left out.
_CPU_FEATURES = {
    "sse3": "SSE3",
    "ssse3": "SSSE3",
    "avx": "AVX",
    "avx2": "AVX2",
    "avx_vnni": "AVX_VNNI",
    "f16c": "F16C",
    "fma": "FMA",
    "bmi2": "BMI2",
    "avx512f": "AVX512",
    "avx512_vbmi": "AVX512_VBMI",
    "avx512_vnni": "AVX512_VNNI",
    "avx512_bf16": "AVX512_BF16",
    "amx_int8": "AMX_INT8",
    "neon": "NEON",
    "fp16": "FP16_VA",
    "dotprod": "DOTPROD",
    "i8mm": "MATMUL_INT8",
    "sve": "SVE",
    "sme": "SME",
    "vxe": "VXE",
}
# Only a build with KleidiAI uses it, and nobody is advised to have one for that.
_SPECIAL_FEATURES = frozenset({"sme"})


def backend_facts(system_info: str) -> dict[str, dict[str, str]]:
    """Return what the line says of each backend: {"CPU": {"AVX": "1"}, "CUDA": {"ARCHS": "890"}}."""
    facts: dict[str, dict[str, str]] = {}
    backend = ""
    for part in filter(None, (part.strip() for part in system_info.split("|"))):
        named, is_new, fact = part.rpartition(" : ")
        backend = named if is_new else backend
        name, _, value = fact.partition(" = ")
        facts.setdefault(backend, {})[name] = value
    return facts


def used_features(features: tuple[str, ...], system_info: str) -> tuple[str, ...]:
    """Return those of a CPU's `features` that the build has kernels for."""
    built = backend_facts(system_info).get("CPU", {})
    return tuple(feature for feature in features if _CPU_FEATURES.get(feature) in built)


def unused_features(features: tuple[str, ...], system_info: str) -> tuple[str, ...]:
    """Return those of a CPU's `features` that llama.cpp has kernels for and this build has not."""
    built = backend_facts(system_info).get("CPU", {})
    known = (feature for feature in features if feature in _CPU_FEATURES and feature not in _SPECIAL_FEATURES)
    return tuple(feature for feature in known if _CPU_FEATURES[feature] not in built)


def cuda_targets(system_info: str) -> tuple[int, ...]:
    """Return the compute capabilities that the build has kernels for (890 is 8.9); () where it tells none."""
    listed = backend_facts(system_info).get("CUDA", {}).get("ARCHS", "")
    return tuple(int(part) for part in listed.split(",") if part.strip().isdecimal())


def feature_name(feature: str) -> str:
    """Return a CPU feature as makers write it: "AVX512 VNNI", "AMX INT8", "SSE4.2"."""
    return "SSE4.2" if feature == "sse4_2" else feature.upper().replace("_", " ")
