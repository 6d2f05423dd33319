"""Spreads the layers over several GPUs of different sizes, layer by layer, so that each keeps its margin."""

from collections.abc import Sequence
from dataclasses import replace

from quern.fit.report import DeviceFit
from quern.spec import LoadSettings

from .attempt import Attempts, Outcome

_MOST_MOVES = 12


def with_split(attempts: Attempts, settings: LoadSettings, n_offloaded: int) -> LoadSettings:
    """Return `settings` with the share of `n_offloaded` layers that each GPU takes: whole numbers of layers.

    They begin in proportion to what the GPUs have to offer; then layers move from the GPU that lacks most to the one
    with most to spare. A single GPU needs no shares. At most a dozen questions.
    """
    gpus = attempts.gpus
    plain = replace(settings, tensor_split=())
    if len(gpus) < 2 or n_offloaded == 0:
        return plain
    counts = _proportional([gpu.usable for gpu in gpus], n_offloaded)
    best = _split(settings, counts)
    best_spare = -(1 << 62)
    for _ in range(_MOST_MOVES):
        tried = _split(settings, counts)
        found = attempts.attempt(tried)
        if found is None:
            break
        if found.gpu_spare > best_spare:
            best, best_spare = tried, found.gpu_spare
        if found.gpu_spare >= 0 or not _move(counts, _gpu_fits(attempts, found)):
            break
    if best_spare < 0 and _keeps(attempts.attempt(plain)):
        return plain
    return best


def _split(settings: LoadSettings, counts: Sequence[int]) -> LoadSettings:
    return replace(settings, tensor_split=tuple(map(float, counts)))


def _keeps(found: Outcome | None) -> bool:
    return found is not None and found.gpu_spare >= 0


def _gpu_fits(attempts: Attempts, found: Outcome) -> list[DeviceFit]:
    return [found.of(gpu.device) for gpu in attempts.gpus]


def _move(counts: list[int], fits: Sequence[DeviceFit]) -> bool:
    """Move as many layers as the worst GPU lacks, as far as the best one has room; False where that is none."""
    worst = min(range(len(fits)), key=lambda i: fits[i].spare if counts[i] else 1 << 62)
    best = max(range(len(fits)), key=lambda i: fits[i].spare)
    if worst == best or counts[worst] == 0:
        return False
    needs = fits[worst].needs
    layer = max(1, (needs.weights + needs.kv + needs.recurrent) // counts[worst])
    n = min(counts[worst], -(fits[worst].spare // layer), max(1, fits[best].spare // layer))
    if n <= 0 or fits[best].spare <= 0:
        return False
    counts[worst] -= n
    counts[best] += n
    return True


def _proportional(sizes: Sequence[int], n: int) -> list[int]:
    """Return `n` in whole parts in proportion to `sizes` (largest remainders)."""
    total = sum(sizes)
    if total <= 0:
        return [n, *[0] * (len(sizes) - 1)]
    counts = [n * size // total for size in sizes]
    by_rest = sorted(range(len(sizes)), key=lambda i: -(n * sizes[i] % total))
    for index in by_rest[: n - sum(counts)]:
        counts[index] += 1
    return counts
