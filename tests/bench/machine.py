"""What it costs to look at this machine: python -m tests.bench.machine [RUNS]. Prints JSON, medians in ms.

`engine_first` starts the worker; `engine_again` is the remembered answer, with its check whether it still holds.
"""

import json
import statistics
import sys
from collections.abc import Callable
from time import perf_counter

from quern.hardware import (
    ask_engine,
    detect_cpu,
    detect_gpus,
    detect_machine,
    detect_memory,
    forget_engine,
    machine_stamp,
)


def median_ms(act: Callable[[], object], n_runs: int) -> float:
    """Return the median time of `act`."""
    times: list[float] = []
    for _ in range(n_runs):
        began_s = perf_counter()
        act()
        times.append((perf_counter() - began_s) * 1000)
    return round(statistics.median(times), 2)


def main(n_runs: int) -> None:
    """Measure each question by itself, after one look that imports and warms up."""
    detect_machine()
    report = {name: median_ms(act, n_runs) for name, act in ACTS.items()}
    report["engine_first"] = median_ms(_ask_anew, max(3, n_runs // 10))
    report["engine_again"] = median_ms(ask_engine, n_runs)
    print(json.dumps(report, indent=2))


def _ask_anew() -> None:
    forget_engine()
    ask_engine()


ACTS: dict[str, Callable[[], object]] = {
    "machine": detect_machine,
    "cpu": detect_cpu,
    "memory": detect_memory,
    "gpus": detect_gpus,
    "stamp": machine_stamp,
}

if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
