"""Fourier transforms along the slots of patterns, which are the last axes; there may be none."""

from __future__ import annotations

import numpy as np
import scipy.fft

from lowkey.checks import Matrix
from lowkey.mechanisms.sampled import Waves


def convolved(kernels: Waves, tally: Waves) -> Matrix:
    """Σ over patterns and shifts of tally times the shifted kernel, both given by transforms: (queries, slots)."""
    return inverse(np.einsum("sr...,s...->r...", kernels, tally), 1)


def transform(values: Matrix, first: int) -> Waves:
    """Along the axes from number `first` on."""
    axes = tuple(range(first, values.ndim))
    waves: Waves = scipy.fft.fftn(values, axes=axes) if axes else values.astype(np.complex128)
    return waves


def inverse(waves: Waves, first: int) -> Matrix:
    """What `transform` makes waves of."""
    axes = tuple(range(first, waves.ndim))
    values: Matrix = (scipy.fft.ifftn(waves, axes=axes) if axes else waves).real
    return values
