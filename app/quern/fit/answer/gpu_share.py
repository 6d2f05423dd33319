"""How much of a model the GPUs can hold: the most layers, the fewest experts on the CPU."""

from collections.abc import Callable
from dataclasses import replace

from quern.spec import LoadSettings

from .attempt import Attempts, Outcome
from .leeway import Leeway

Vary = Callable[[LoadSettings], LoadSettings]


def n_offloaded(settings: LoadSettings, n_layers: int) -> int:
    """Return how many of `n_layers` (the output is one) the settings put on GPUs."""
    return n_layers if settings.n_gpu_layers is None else max(0, min(settings.n_gpu_layers, n_layers))


def most_gpu_layers(attempts: Attempts, settings: LoadSettings, n_layers: int, vary: Vary | None = None) -> int:
    """Return the most layers with which every GPU keeps its margin, below the number that the settings ask for.

    The host may still lack memory. `vary` adapts settings to a new number. About log2 of the layers in questions.
    """

    def keeps(n: int) -> bool:
        found = attempts.attempt(_varied(replace(settings, n_gpu_layers=n), vary))
        return found is not None and found.gpu_spare >= 0

    return _last_true(keeps, 0, n_offloaded(settings, n_layers) - 1)


def fewest_cpu_experts(
    attempts: Attempts, settings: LoadSettings, n_expert_layers: int, vary: Vary | None = None
) -> int | None:
    """Return in how few of the first layers the experts must go to the CPU so that every GPU keeps its margin.

    More than the settings already put there; None where all of them are too few.
    """

    def keeps(n: int) -> bool:
        found = attempts.attempt(_varied(replace(settings, n_cpu_moe_layers=n), vary))
        return found is not None and found.gpu_spare >= 0

    first = settings.n_cpu_moe_layers + 1
    if first > n_expert_layers or not keeps(n_expert_layers):
        return None
    low, high = first - 1, n_expert_layers  # `high` keeps, `low` is not enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(middle) else (middle, high)
    return high


def lightest(attempts: Attempts, settings: LoadSettings, leeway: Leeway) -> Outcome | None:
    """Return how the settings fare with as much less on the GPUs as these need, None where no GPU is asked for.

    Experts go first, then whole layers, at last everything.
    """
    n_layers, n_expert_layers = leeway.most_layers, leeway.most_expert_layers
    if not attempts.gpus or not n_offloaded(settings, n_layers):
        return None
    n_experts = fewest_cpu_experts(attempts, settings, n_expert_layers)
    if n_experts is not None:
        found = attempts.attempt(replace(settings, n_cpu_moe_layers=n_experts))
    else:
        all_experts = replace(settings, n_cpu_moe_layers=max(settings.n_cpu_moe_layers, n_expert_layers))
        fewer = most_gpu_layers(attempts, all_experts, n_layers)
        found = attempts.attempt(replace(all_experts, n_gpu_layers=fewer))
    nothing = attempts.attempt(replace(settings, n_gpu_layers=0))
    return max((one for one in (found, nothing) if one is not None), key=lambda one: one.left, default=None)


def _varied(settings: LoadSettings, vary: Vary | None) -> LoadSettings:
    return settings if vary is None else vary(settings)


def _last_true(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the largest number from `low` to `high` for which `holds`, which is taken for granted of `low`."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
