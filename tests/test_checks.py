"""The shared checks of arguments: what passes comes back clean, what does not is named."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from lowkey.checks import check_data_vector, check_epsilon, check_prior, check_size, check_vector
from lowkey.errors import InvalidInput, LowkeyError


@pytest.mark.parametrize("epsilon", [1, 0.01, np.float64(2.5), np.int64(3), 30])
def test_epsilon_may_be_any_positive_number(epsilon: object) -> None:
    assert check_epsilon(epsilon) == float(epsilon)  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, "1", None, True, 31, 1j, [1.0]])
def test_epsilon_must_be_positive_finite_and_reasonable(epsilon: object) -> None:
    with pytest.raises(InvalidInput, match=r"epsilon is .*; expected (a positive finite number|at most 30)\."):
        check_epsilon(epsilon)


@pytest.mark.parametrize("size", [0, -3, 2.0, "4", True, None])
def test_sizes_are_whole_and_large_enough(size: object) -> None:
    with pytest.raises(InvalidInput, match=r"n is .*; expected a whole number of at least 1\."):
        check_size("n", size)


def test_vectors_of_any_number_type_become_floats() -> None:
    for values in ([1, 2], (1.0, 2.0), np.array([1, 2], dtype=np.uint8), [Decimal(1), Decimal(2)], [True, 2]):
        np.testing.assert_array_equal(check_vector("x", values, 2), [1.0, 2.0])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "2"], "x is an array of str"),
        ([1, "b"], "x is an array of str"),
        ([1 + 1j, 2], "x is an array of complex128"),
        ([object(), 2], "x is .*expected 2 numbers"),
        ([[1], [2, 3]], "x is .*expected 2 numbers"),
        ([1, 2, 3], r"x is an array of shape \(3,\); expected length 2 along the first axis"),
        (5.0, r"x is an array of shape \(\)"),
        ([1, math.nan], "x is an array with NaN or infinity; expected finite numbers"),
        ([1, None], "x is an array with NaN or infinity"),
    ],
)
def test_other_vectors_are_refused(values: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        check_vector("x", values, 2)


def test_counts_are_not_negative() -> None:
    with pytest.raises(
        InvalidInput, match=r"the data vector is negative \(-2 in cell 1\); expected counts of at least 0"
    ):
        check_data_vector([1, -2, 3], 3)


def test_a_prior_is_normalised_and_positive() -> None:
    np.testing.assert_allclose(check_prior([1, 3], 2), [0.25, 0.75])
    np.testing.assert_allclose(check_prior(None, 4), 0.25)
    with pytest.raises(InvalidInput, match=r"prior is zero in at least one cell.*Mix a little of the uniform"):
        check_prior([1, 0], 2)


def test_errors_are_builtin_ones_too() -> None:
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(InvalidInput, LowkeyError)
