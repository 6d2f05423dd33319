"""ggml's numbers for the element types that a KV cache may have."""

from quern.spec import KvType

from .binding import lib

GGML_TYPE_BF16 = 30  # ggml.h; llama-cpp-python leaves it out

KV_TYPE_NUMBERS = {
    KvType.F32: lib.GGML_TYPE_F32,
    KvType.F16: lib.GGML_TYPE_F16,
    KvType.BF16: GGML_TYPE_BF16,
    KvType.Q8_0: lib.GGML_TYPE_Q8_0,
    KvType.Q5_1: lib.GGML_TYPE_Q5_1,
    KvType.Q5_0: lib.GGML_TYPE_Q5_0,
    KvType.Q4_1: lib.GGML_TYPE_Q4_1,
    KvType.Q4_0: lib.GGML_TYPE_Q4_0,
    KvType.IQ4_NL: lib.GGML_TYPE_IQ4_NL,
}
