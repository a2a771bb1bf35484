"""Drawn patterns: how often each cell is in, how cells go together, and the map of correlations behind that."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm
from two_level_cases import levels_of

import lowkey as lk
from lowkey.checks import Matrix
from lowkey.optimize.finish import exact_weights
from lowkey.optimize.gaussian_start import (
    _correlation_map,
    _latent_factor,
    _orthogonal_normals,
    _target_correlation,
    gaussian_patterns,
)
from lowkey.workloads import Workload

WORKLOADS = [lk.workloads.prefix(12), lk.workloads.histogram(9), lk.workloads.k_way_marginals([2, 2, 3], 2)]
ids = ["prefix", "histogram", "marginals"]


def both(share: float, latent: float) -> float:
    """P(Z₁ > t, Z₂ > t) by scipy."""
    t = -norm.ppf(share)
    return float(multivariate_normal(cov=[[1, latent], [latent, 1]]).cdf([-t, -t]))


@pytest.mark.parametrize("share", [0.475, 0.2689, 0.018, 0.0003])
def test_the_map_of_correlations_is_the_bivariate_normal_s(share: float) -> None:
    correlations, latents = _correlation_map(share)
    for index in (0, 80, 150, 200, 260, 333, 390):
        expected = (both(share, latents[index]) - share**2) / (share * (1 - share))
        assert correlations[index] == pytest.approx(expected, abs=2e-5)
    assert (np.diff(correlations) > -1e-15).all()


def test_half_of_the_cells_follow_the_arcsine_law() -> None:
    """P = ½: the bits' correlation is 2/π arcsin of the latent one (Sheppard)."""
    correlations, latents = _correlation_map(0.5)
    np.testing.assert_allclose(correlations, 2 / math.pi * np.arcsin(latents), atol=2e-6)


@pytest.mark.parametrize("workload", WORKLOADS, ids=ids)
def test_the_target_is_a_correlation_matrix_that_leaves_the_people_out(workload: Workload) -> None:
    target = _target_correlation(workload.gram())
    np.testing.assert_allclose(target.diagonal(), 1, atol=1e-9)
    np.testing.assert_allclose(target, target.T, atol=1e-12)
    assert np.linalg.eigvalsh(target)[0] > -1e-9
    np.testing.assert_allclose(target.sum(axis=0), 0, atol=0.05)


def test_cells_that_all_matter_alike_repel_each_other_alike() -> None:
    """Histogram: correlation −1/(n−1) for every pair."""
    target = _target_correlation(np.eye(9))
    np.testing.assert_allclose(target[~np.eye(9, dtype=bool)], -1 / 8, atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.5])
@pytest.mark.parametrize("workload", WORKLOADS, ids=ids)
def test_each_cell_is_in_as_often_as_it_should(workload: Workload, epsilon: float) -> None:
    """With probability 1/(1+e^ε), less the patterns without cells, which are left out."""
    draws = 40_000
    patterns = gaussian_patterns(workload.gram(), epsilon, draws, seed=3)
    share = 1 / (1 + math.exp(epsilon))
    frequencies = patterns.sum(axis=0) / draws
    np.testing.assert_allclose(frequencies, share, atol=5 * math.sqrt(share / draws))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_cells_go_together_as_the_target_says(epsilon: float) -> None:
    """The latent correlations are those of the map; what is clipped to make them a matrix costs up to 0.15."""
    draws, gram = 60_000, lk.workloads.prefix(8).gram()
    share = 1 / (1 + math.exp(epsilon))
    factor = _latent_factor(_target_correlation(gram), share)
    bits = _orthogonal_normals(draws, 8, np.random.default_rng(0)) @ factor.T > -norm.ppf(share)
    found = np.corrcoef(bits.T)
    np.testing.assert_allclose(found, expected_correlations(factor @ factor.T, share), atol=0.025)
    np.testing.assert_allclose(found, _target_correlation(gram), atol=0.15)


def expected_correlations(latent: Matrix, share: float) -> Matrix:
    correlations, latents = _correlation_map(share)
    expected = np.interp(latent, latents, correlations)
    np.fill_diagonal(expected, 1)
    return expected


def test_normals_are_standard_and_orthogonal_in_blocks() -> None:
    normals = _orthogonal_normals(5000, 10, np.random.default_rng(1))
    assert normals.shape == (5000, 10)
    np.testing.assert_allclose(normals.T @ normals / 5000, np.eye(10), atol=0.1)
    block = normals[:10] @ normals[:10].T
    np.testing.assert_allclose(block - np.diag(block.diagonal()), 0, atol=1e-12)


def test_no_pattern_is_empty_or_full_and_a_seed_repeats() -> None:
    gram = lk.workloads.prefix(5).gram()
    one, same, other = (gaussian_patterns(gram, 2.0, 300, seed) for seed in (1, 1, 2))
    assert one.any(axis=1).all()
    assert not one.all(axis=1).any()
    np.testing.assert_array_equal(one, same)
    assert one.shape != other.shape or (one != other).any()


def test_even_weights_already_come_near_the_optimum() -> None:
    """Prefix n = 16, ε = 1, on average: randomized response has 3.7 times the optimum 74.81, drawn
    patterns with nearly even weights an eighth more than it at most."""
    workload = lk.workloads.prefix(16)
    patterns = np.vstack([gaussian_patterns(workload.gram(), 1.0, 1000, seed=0), np.eye(16, dtype=bool)])
    levels = levels_of(patterns, 1.0)
    weights = exact_weights(levels, np.full(len(levels), 16 / levels.sum()))
    drawn = lk.mechanisms.TwoLevelMechanism(patterns, weights, 1.0)
    simple = lk.mechanisms.create("randomized_response", 16, 1.0)
    assert lk.analyze(workload, drawn).average < 1.125 * 74.80857
    assert lk.analyze(workload, simple).average > 3.7 * 74.80857
