"""Print a benchmark's lines and keep them, with date and machine, in results/."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path

import numpy as np
import scipy

RESULTS = Path(__file__).parent / "results"


class Record:
    """Collects what a benchmark prints."""

    def __init__(self, name: str, title: str, device: str | None = None) -> None:
        self._file = RESULTS / f"{name}.txt"
        self._lines: list[str] = []
        self.say(title)
        self.say(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {device or machine()}")
        self.say("")

    def say(self, line: str) -> None:
        """Print a line at once and keep it."""
        print(line, flush=True)
        self._lines.append(line)

    def write(self) -> None:
        """Write the result file."""
        RESULTS.mkdir(exist_ok=True)
        self._file.write_text("\n".join(self._lines) + "\n")


def machine() -> str:
    """The processor, its usable cores and the libraries: what a speed depends on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or "all"
    return (
        f"{_processor()}, {cores} cores, {threads} BLAS threads, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, SciPy {scipy.__version__}"
    )


def gpu() -> str:
    """The CUDA device and the library that drives it."""
    import torch

    return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"


def _processor() -> str:
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        for line in cpu.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
