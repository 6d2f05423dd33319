"""The CPU of this machine as a value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """What the CPU is and what this process may use of it.

    `n_performance_cores` are the physical cores of the fastest kind (all of them where there is one kind).
    `n_usable_threads` is what affinity and container quotas leave to this process. `features` are the instruction
    sets that llama.cpp's kernels are chosen by, in one spelling on every system, sorted.
    """

    brand: str
    architecture: str
    n_physical_cores: int
    n_logical_cores: int
    n_performance_cores: int
    n_usable_threads: int
    features: tuple[str, ...]

    @property
    def n_efficiency_cores(self) -> int:
        """The physical cores of the slower kinds."""
        return max(0, self.n_physical_cores - self.n_performance_cores)


def default_thread_count(cpu: Cpu) -> int:
    """Return how many threads compute best: one per fast physical core, never more than this process may use.

    Slow cores hold up every barrier of a graph, and a second thread on a core shares its vector units
    (llama.cpp common/common.cpp, cpu_get_num_math).
    """
    return max(1, min(cpu.n_performance_cores, cpu.n_usable_threads))
