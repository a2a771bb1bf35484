"""Where the optimizer's arrays live: NumPy, or PyTorch on a GPU, through the one array-API standard."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any

import array_api_compat.numpy
import numpy as np
import scipy.linalg

from lowkey.checks import Matrix, Vector, check_choice
from lowkey.errors import MissingDependency, NotAvailable

Array = Any  # an array of whichever library `Arrays.xp` is; the standard has no static type yet

GPU_PAYS_FROM = 512  # cells; below, an iteration takes milliseconds on one core


@dataclass(frozen=True)
class Arrays:
    """An array library and the device that its arrays are made on."""

    xp: Any
    device: Any = None

    @property
    def is_numpy(self) -> bool:
        return self.xp is array_api_compat.numpy

    def put(self, values: object) -> Array:
        """NumPy values (or a mask) as an array on the device."""
        return self.xp.asarray(values, device=self.device)

    def eigh(self, matrix: Matrix) -> tuple[Vector, Matrix]:
        """Eigenvalues and vectors of a symmetric NumPy matrix, computed on the device."""
        if self.is_numpy:
            return scipy.linalg.eigh(matrix, driver="evd")
        values, vectors = self.xp.linalg.eigh(self.put(matrix))
        return self.fetch(values), self.fetch(vectors)

    def fetch(self, array: Array) -> Matrix:
        """An array of the device as a NumPy array."""
        return np.asarray(array.cpu() if hasattr(array, "cpu") else array, dtype=np.float64)


ON_CPU = Arrays(array_api_compat.numpy)


def arrays_on(device: str, cells: int) -> Arrays:
    """The arrays for device "cpu", "cuda" or "auto" (the GPU where there is one and the domain is large enough)."""
    check_choice("device", device, ("auto", "cpu", "cuda"))
    if device == "cpu" or (device == "auto" and (cells < GPU_PAYS_FROM or not _cuda_is_there())):
        return ON_CPU
    if importlib.util.find_spec("torch") is None:
        raise MissingDependency("PyTorch", "device='cuda'", "gpu")
    if not _cuda_is_there():
        raise NotAvailable("device", "cuda", "a machine with a CUDA device", "Use device='cpu', or 'auto'.")
    return Arrays(importlib.import_module("array_api_compat.torch"), "cuda")


def _cuda_is_there() -> bool:
    if importlib.util.find_spec("torch") is None:
        return False
    return bool(importlib.import_module("torch").cuda.is_available())
