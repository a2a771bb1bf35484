"""Checks of arguments that several modules share: each returns the clean value or raises InvalidInput."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lowkey.errors import InvalidInput, TooLarge, format_size

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


LEAST_EPSILON = 1e-12
LONGEST = 2**28  # numbers: 2 GiB of doubles


def check_epsilon(epsilon: object) -> float:
    """A positive finite privacy budget."""
    expected = "a positive finite number"
    advice = "ε is the privacy budget: 0.5 to 4 is usual, smaller is more private."
    if isinstance(epsilon, bool) or not isinstance(epsilon, numbers.Real):
        raise InvalidInput("epsilon", epsilon, expected, advice)
    value = float(epsilon)
    if not (math.isfinite(value) and value > 0):
        raise InvalidInput("epsilon", epsilon, expected, advice)
    if value < LEAST_EPSILON:
        least = f"at least {LEAST_EPSILON:g}"
        raise InvalidInput("epsilon", epsilon, least, "Below, a double does not tell e^ε from 1.")
    if value > 30:
        raise InvalidInput("epsilon", epsilon, "at most 30", "e^30 is beyond what a double resolves in a probability.")
    return value


def check_size(what: str, value: object, minimum: int = 1) -> int:
    """A whole number that is at least `minimum`."""
    expected = f"a whole number of at least {minimum}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < minimum:
        raise InvalidInput(what, value, expected)
    return int(value)


def check_vector(what: str, value: object, length: int) -> Vector:
    """A finite vector (length,) or matrix (length, k) of floats."""
    array = _as_floats(what, value, f"{length} numbers")
    if array.ndim not in (1, 2) or array.shape[0] != length:
        raise InvalidInput(what, f"an array of shape {array.shape}", f"length {length} along the first axis")
    if not np.isfinite(array).all():
        raise InvalidInput(what, "an array with NaN or infinity", "finite numbers")
    return array


def check_data_vector(value: object, length: int, what: str = "the data vector") -> Vector:
    """Counts of people per cell: non-negative, finite, one a cell."""
    array = check_vector(what, value, length)
    if array.ndim != 1:
        raise InvalidInput(what, f"an array of shape {array.shape}", f"one count for each of the {length} cells")
    if (array < 0).any():
        cell = int(np.argmax(array < 0))
        raise InvalidInput(what, f"negative ({array[cell]:g} in cell {cell})", "counts of at least 0")
    return array


def check_prior(prior: object, length: int) -> Vector:
    """A probability for each cell, all positive; None means uniform. Returned normalised to sum 1."""
    if prior is None:
        if length > LONGEST:
            raise TooLarge("a probability for each cell", f"{format_size(length)} numbers", f"at most {LONGEST:,}", "")
        return np.full(length, 1.0 / length)
    array = check_data_vector(prior, length, "prior")
    if array.sum() <= 0 or (array == 0).any():
        raise InvalidInput(
            "prior",
            "zero in at least one cell",
            "a positive weight for every cell",
            "Mix a little of the uniform distribution in: a type with no weight could have unbounded variance.",
        )
    total = float(array.sum())
    weights: Vector = array.copy() if abs(total - 1) <= 1e-14 * length else array / total
    return weights


def check_choice(what: str, value: object, choices: Sequence[str]) -> str:
    """One of the given words."""
    if value not in choices:
        raise InvalidInput(what, value, "one of " + ", ".join(choices))
    return str(value)


def _as_floats(what: str, value: object, expected: str) -> Vector:
    try:
        given = np.asarray(value)
    except ValueError as error:  # a ragged list
        raise InvalidInput(what, value, expected) from error
    if given.dtype.kind not in "biufO":  # text that looks like numbers is refused: it is a mistake upstream
        raise InvalidInput(what, f"an array of {given.dtype.name}", expected)
    try:
        return given.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(what, value, expected) from error
