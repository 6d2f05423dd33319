"""The stops of the sliders: close together where a step matters, further apart where numbers are large."""

CELL_STEP = 256
STOPS_PER_DOUBLING = 8
REQUESTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)


def context_stops(n_ctx_train: int) -> tuple[int, ...]:
    """Return contexts from 256 cells to the trained one (rounded up to 256), eight to a doubling, in steps of 256."""
    last = max(CELL_STEP, -(-n_ctx_train // CELL_STEP) * CELL_STEP)
    stops: list[int] = []
    value = CELL_STEP
    while value < last:
        stops.append(value)
        octave = 1 << (value.bit_length() - 1)
        value += max(CELL_STEP, octave // STOPS_PER_DOUBLING // CELL_STEP * CELL_STEP)
    return (*stops, last)
