"""The relaxation by densities: below the optimum, at least near the one by slices, and for any domain."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from bound_cases import exact_optimum

import lowkey as lk
from lowkey.analysis.density_relaxation import _everywhere, _scheme, density_relaxation_value
from lowkey.analysis.interaction_bounds import nuclear_norm_of
from lowkey.analysis.invariant_relaxation import Densities, Search, invariant_relaxation_value, weight_classes
from lowkey.analysis.pattern_maximum import PatternFunction, by_enumeration
from lowkey.workloads import Workload
from lowkey.workloads.interactions import Interactions

SMALL = [
    lk.workloads.histogram(8),
    lk.workloads.all_marginals([2, 2, 2]),
    lk.workloads.parity(3, 2),
    lk.workloads.k_way_marginals([3, 3], 1),
    lk.workloads.k_way_marginals([2, 5], 1),
    lk.workloads.all_marginals([4, 2]),
    lk.workloads.stack([lk.workloads.histogram(8), lk.workloads.parity(3, 1)], [1, 2]),
]


def interactions(workload: Workload) -> Interactions:
    found = workload.interactions
    assert found is not None
    return found


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("workload", SMALL, ids=lambda workload: workload.name)
def test_it_is_below_the_optimum(workload: Workload, epsilon: float) -> None:
    n = workload.shape[1]
    optimum = exact_optimum(workload.gram(), epsilon, np.full(n, 1 / n)).value
    assert density_relaxation_value(interactions(workload), epsilon) <= optimum * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(
    "workload",
    [lk.workloads.parity(9, 3), lk.workloads.k_way_marginals([2] * 9, 3), lk.workloads.all_marginals([2] * 9)],
    ids=lambda workload: workload.name,
)
def test_at_512_cells_it_is_what_all_slices_give(workload: Workload, epsilon: float) -> None:
    slices = invariant_relaxation_value(workload.gram(), epsilon)
    assert density_relaxation_value(interactions(workload), epsilon) == pytest.approx(slices, rel=2e-3)


def test_sums_of_characters_over_kinds_are_those_written_out() -> None:
    """ℤ₃ × ℤ₃ × ℤ₂: differences by how many of the first two, and whether the last, are not zero."""
    sizes = (3, 3, 2)
    kinds = _scheme(sizes, [(0, 1), (2,)])
    cells = list(itertools.product(*map(range, sizes)))
    kind = [2 * (int(a > 0) + int(b > 0)) + int(c > 0) for a, b, c in cells]
    np.testing.assert_array_equal(kinds.sizes, np.bincount(kind))
    for character, row in zip(cells, kind, strict=True):
        for column in range(len(kinds.sizes)):
            angles = [
                sum(k * h / n for k, h, n in zip(character, cell, sizes, strict=True))
                for cell, place in zip(cells, kind, strict=True)
                if place == column
            ]
            total = np.exp(2j * math.pi * np.array(angles)).sum()
            assert kinds.sums[row, column] == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize(("d", "epsilon", "gain"), [(100, 1.0, 1.2), (30, 4.0, 1.6)])
def test_of_many_attributes_it_is_above_the_nuclear_norm_and_below_what_is_attained(
    d: int, epsilon: float, gain: float
) -> None:
    """Attained: each person draws one of the K parities and answers it by randomized response."""
    parities = interactions(lk.workloads.parity(d, 3))
    found = density_relaxation_value(parities, epsilon)
    number = len(parities.weights)
    attained = number * (number / math.tanh(epsilon / 2) ** 2 - 1)
    assert gain * nuclear_norm_of(parities, epsilon) < found < attained


@pytest.mark.parametrize("seed", range(4))
def test_its_maximum_on_intervals_bounds_every_pattern(seed: int) -> None:
    """Whatever t, δ and N are at some densities: against all 2¹⁶ patterns, with K written out as a matrix."""
    rng = np.random.default_rng(seed)
    kinds = weight_classes(4)
    shares = np.array([0.05, 0.3, 1.0])
    search = Search(float(rng.uniform(0.3, 5)), kinds, np.array([0.0, 3, 2, 1, 1]), Densities(shares, shares))
    multipliers = np.abs(rng.normal(size=(3, 5)))
    multipliers[:, 0] = rng.normal(size=3)
    point = np.concatenate([rng.normal(size=4), multipliers.reshape(-1)])
    whole, everywhere = _everywhere(search, point, 1 / 16)
    ones = np.bitwise_count(np.arange(16, dtype=np.uint64))
    signs = (-1.0) ** np.bitwise_count((np.arange(16)[:, None] & np.arange(16)).astype(np.uint64))
    roots = np.concatenate([[0.0], point[:4]])[ones]
    function = PatternFunction(signs / 4 * roots, np.zeros(16), np.full(16, 1 / 16), search.epsilon)
    assert by_enumeration(function) - 2 * function.error <= whole.proved(everywhere)[1]


def test_too_many_kinds_of_attributes_prove_nothing() -> None:
    assert density_relaxation_value(interactions(lk.workloads.all_marginals(range(2, 10))), 1.0) == 0


@pytest.mark.parametrize("exponent", [-100, 100])
def test_scaling_by_a_power_of_two_scales_it(exponent: int) -> None:
    parities = interactions(lk.workloads.parity(6, 2))
    scaled = Interactions(parities.sizes, {s: math.ldexp(g, 2 * exponent) for s, g in parities.weights.items()})
    assert density_relaxation_value(scaled, 2.0) == math.ldexp(density_relaxation_value(parities, 2.0), 2 * exponent)
