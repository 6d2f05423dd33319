"""What a smaller quantization of the same model would have to be."""

from quern.base import format_bytes

from .attempt import Outcome
from .leeway import Leeway

# Bits a weight of whole models, embedding tables and all, from the largest to the smallest (llama-quant.cpp mixes
# types within one file; measured on 8B models by llama.cpp's quantize table).
_BITS: tuple[tuple[str, float], ...] = (
    ("Q8_0", 8.5),
    ("Q6_K", 6.6),
    ("Q5_K_M", 5.7),
    ("Q4_K_M", 4.9),
    ("IQ4_XS", 4.5),
    ("Q3_K_M", 4.0),
    ("IQ3_XXS", 3.3),
    ("Q2_K", 3.2),
    ("IQ2_XS", 2.6),
)
_LEAST_BITS = 2.0
_LEAST_SHARE = 0.25  # where nobody knows the number of parameters: a quarter is from 16 to 4 bits


def smaller_quantization(found: Outcome, leeway: Leeway) -> tuple[str, int] | None:
    """Return the quantization that would fit, in words, and by how much smaller the worst device's weights then are.

    None where no common quantization is small enough. Every device's weights shrink alike.
    """
    lacking = [device for device in found.devices if device.spare < 0]
    if not lacking or any(device.needs.weights <= 0 for device in lacking):
        return None
    share = min(1 + device.spare / device.needs.weights for device in lacking)
    n_bytes = round(share * sum(device.needs.weights for device in found.devices))
    gain = round((1 - share) * found.worst.needs.weights)
    size = f"at most {format_bytes(n_bytes)}" if n_bytes > 0 else ""
    if leeway.n_parameters is None:
        return (size, gain) if share >= _LEAST_SHARE else None
    bits = 8 * n_bytes / max(1, leeway.n_parameters)
    if bits < _LEAST_BITS:
        return None
    name = next((name for name, needed in _BITS if needed <= bits), None)
    return (f"{name}, {size}" if name else size, gain)
