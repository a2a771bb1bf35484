"""The Fourier mechanism for marginals of binary attributes (Cormode, Kulkarni and Srivastava 2018)."""

from __future__ import annotations

import numpy as np

from lowkey.checks import check_size
from lowkey.errors import InvalidInput
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import characters, two_sided
from lowkey.workloads.base import Workload, check_workload

MOST_CELLS = 4096  # up to which a workload's characters are looked for


def fourier(
    n: int, epsilon: float, degree: int | None = None, constant: bool = True, workload: Workload | None = None
) -> DenseMechanism:
    """A random character χ_s of at most `degree` attributes and its value ±1 by binary randomized response.

    degree: marginals and parities of k attributes need no more than k. None takes what `workload` needs, and all
    characters where there is no workload.
    constant: whether the character of degree 0 is among them: in the published strategy it is, though it says
    nothing.
    A domain that is no power of two is the beginning of the next one.
    """
    dimension = (n - 1).bit_length()
    indices = np.arange(2**dimension)
    if degree is None and workload is not None:
        if check_workload(workload).shape[1] != n:
            raise InvalidInput("the workload", f"over {workload.shape[1]} cells", f"a workload over n = {n} cells")
        degree = degree_needed(workload, dimension)
    if degree is not None:
        indices = indices[np.bitwise_count(indices) <= check_size("degree", degree, 0)]
    if not constant:
        indices = indices[1:]
    if len(indices) == 0:
        raise InvalidInput("constant", constant, "True where no other character is left", "Raise n or the degree.")
    refuse_too_large("fourier", 2 * len(indices), n)
    return DenseMechanism(two_sided(characters(indices, np.arange(n)), epsilon), epsilon, "fourier")


def degree_needed(workload: Workload, dimension: int) -> int:
    """The largest degree of a character χ_s that some query has a part in: χ_sᵀ WᵀW χ_s > 0."""
    n = workload.shape[1]
    if n != 2**dimension or n > MOST_CELLS:  # of a part of the domain, characters are not orthogonal
        return dimension
    indices = np.arange(n)
    signs = np.where(characters(indices, indices), 1.0, -1.0)
    energy = np.sum(signs * workload.gram_matvec(signs), axis=0)
    present = energy > n * np.finfo(np.float64).eps * energy.max()
    return int(np.bitwise_count(indices[present]).max(initial=0))
