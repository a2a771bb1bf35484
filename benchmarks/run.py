"""Every benchmark that needs no GPU, each in a process of its own: `make bench`."""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = (
    "benchmarks.algorithm_2",
    "benchmarks.iteration",
    "benchmarks.bounds",
    "benchmarks.certified",
    "benchmarks.over_time",
    "benchmarks.outputs",
    "benchmarks.time_to_algorithm_2",
    "benchmarks.masters",
    "benchmarks.dominates",
    "benchmarks.group",
    "benchmarks.big_domains",
    "benchmarks.ordered",
)


def main() -> None:
    for module in BENCHMARKS:
        subprocess.run([sys.executable, "-m", module], check=True)


if __name__ == "__main__":
    main()
