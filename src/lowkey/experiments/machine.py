"""The machine that a number was measured on, in words."""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path

import numpy as np
import scipy


def machine_of(device: str | None) -> str:
    """Where "cuda", or anything else, computes."""
    return gpu() if device == "cuda" else machine()


@cache
def machine() -> str:
    """The processor, its usable cores and the libraries: what a speed depends on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or "all"
    return (
        f"{_processor()}, {cores} cores, {threads} BLAS threads, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, SciPy {scipy.__version__}"
    )


@cache
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
