"""Workload.variances: w_iᵀ C w_i for every query, against the dense product."""

import numpy as np
import pytest
from workload_cases import CASES, Case

from lowkey.errors import InvalidInput
from lowkey.workloads import all_marginals, all_range, prefix


@pytest.mark.parametrize("case", CASES, ids=str)
def test_variances_are_the_diagonal_of_the_dense_product(case: Case) -> None:
    n = case.workload.shape[1]
    factor = np.random.default_rng(n).standard_normal((n, n))
    covariance = factor + factor.T
    expected = np.diag(case.dense @ covariance @ case.dense.T)
    np.testing.assert_allclose(case.workload.variances(covariance), expected, rtol=1e-9, atol=1e-9)


def test_a_literal_case() -> None:
    np.testing.assert_array_equal(prefix(2).variances([[1, 3], [3, 10]]), [1, 17])
    np.testing.assert_array_equal(all_range(2).variances([[1, 3], [3, 10]]), [1, 17, 10])
    np.testing.assert_array_equal(all_marginals([2]).variances([[1, 3], [3, 10]]), [17, 1, 10])


def test_half_a_million_ranges_take_no_dense_workload() -> None:
    """Independent cells of variance 1: a range's variance is its width."""
    variances = all_range(1024).variances(np.eye(1024))
    assert variances.shape == (524_800,)
    assert variances[1023] == 1024
    assert variances.sum() == 1024 * 1025 * 1026 / 6


def test_a_covariance_of_another_shape_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"shape \(3, 2\).*symmetric 3 × 3"):
        prefix(3).variances(np.ones((3, 2)))
