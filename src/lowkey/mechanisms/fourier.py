"""The Fourier mechanism for marginals of binary attributes (Cormode, Kulkarni and Srivastava 2018)."""

from __future__ import annotations

import numpy as np

from lowkey.checks import check_size
from lowkey.errors import InvalidInput
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import characters, two_sided


def fourier(n: int, epsilon: float, degree: int | None = None, constant: bool = True) -> DenseMechanism:
    """A random character χ_s of at most `degree` attributes and its value ±1 by binary randomized response.

    degree: None takes all characters; marginals and parities of k attributes need no more than k.
    constant: whether the character of degree 0 is among them: in the published strategy it is, though it says
    nothing.
    A domain that is no power of two is the beginning of the next one.
    """
    dimension = (n - 1).bit_length()
    indices = np.arange(2**dimension)
    if degree is not None:
        indices = indices[np.bitwise_count(indices) <= check_size("degree", degree, 0)]
    if not constant:
        indices = indices[1:]
    if len(indices) == 0:
        raise InvalidInput("constant", constant, "True where no other character is left", "Raise n or the degree.")
    refuse_too_large("fourier", 2 * len(indices), n)
    return DenseMechanism(two_sided(characters(indices, np.arange(n)), epsilon), epsilon, "fourier")
