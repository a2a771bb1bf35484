"""The exact master: known optima over all patterns, agreement with scipy, with first-order steps and with duality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, minimize
from two_level_cases import WORKLOADS, full_design, phi, problem_of, proved_minimum, some_design

import lowkey as lk
from lowkey.checks import Vector
from lowkey.optimize.budget import Budget
from lowkey.optimize.information import evaluate
from lowkey.optimize.interior_point import interior_point
from lowkey.optimize.weights import Design, Pace, step
from lowkey.workloads import Workload

CASES = [(name, epsilon) for name in WORKLOADS for epsilon in (0.1, 1.0, 4.0)]


def solved(workload: Workload, design: Design, worst: bool, epsilon: float = 1.0) -> tuple[Design, float]:
    """The design at the end and its variance."""
    reached, point = interior_point(problem_of(workload, epsilon), design, worst, Budget(), tolerance=1e-9)
    value = point.variances.max() if worst else reached.prior @ point.variances
    return reached, float(value)


def test_the_average_optimum_of_ten_prefixes() -> None:
    """34.29512, as theory says; by all 1022 patterns."""
    value = solved(lk.workloads.prefix(10), full_design(10, 1.0), worst=False)[1]
    assert value == pytest.approx(34.29512, abs=5e-6)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_average_optimum_of_three_prefixes_by_scipy(epsilon: float) -> None:
    """Six patterns, by a general solver that knows nothing of gradients."""
    workload, start = lk.workloads.prefix(3), full_design(3, epsilon)

    def least_phi(weights: Vector) -> float:
        return phi(workload.gram(), start._replace(weights=weights))

    result = minimize(
        least_phi,
        np.asarray(start.weights, dtype=np.float64),
        method="SLSQP",
        bounds=Bounds(1e-12, np.inf),
        constraints=LinearConstraint(start.levels.T, 1, 1),
        tol=1e-13,
    )
    gram = workload.gram()
    least = result.fun - gram.trace() / 3 + start.prior @ gram @ start.prior
    assert solved(workload, start, worst=False, epsilon=epsilon)[1] == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize(("name", "epsilon"), CASES)
def test_duality_proves_the_optimum_over_all_patterns(name: str, epsilon: float, worst: bool) -> None:
    """The average for the prior that the design ends with is proved minimal; the worst case is no more than it."""
    workload = WORKLOADS[name]
    reached, value = solved(workload, full_design(workload.shape[1], epsilon), worst, epsilon)
    proved = proved_minimum(workload, reached, epsilon)
    assert proved * (1 - 1e-6) <= value <= proved * (1 + 1e-6)


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize("name", WORKLOADS)
def test_it_agrees_with_first_order_steps_on_the_same_patterns(name: str, worst: bool) -> None:
    """Which come near from above: to 0.2% in a thousand steps."""
    problem = problem_of(WORKLOADS[name], 1.0)
    design = some_design(problem.cells, 1.0, even=True)
    exact = solved(WORKLOADS[name], design, worst)[1]
    pace = Pace(power=1.0, prior_rate=0.2 if worst else 0.0)
    for _ in range(1000):
        point = evaluate(problem, *design)
        design = step(problem, design, point, pace)
    value = point.variances.max() if worst else design.prior @ point.variances
    assert exact * (1 - 1e-6) <= value <= exact * (1 + 2e-3)


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize(("name", "epsilon"), CASES)
def test_it_ends_within_the_constraints(name: str, epsilon: float, worst: bool) -> None:
    workload = WORKLOADS[name]
    start = some_design(workload.shape[1], epsilon)
    reached, _ = solved(workload, start, worst, epsilon)
    np.testing.assert_allclose(reached.weights @ reached.levels, 1, atol=1e-8)
    assert (reached.weights > 0).all()
    assert reached.prior.sum() == pytest.approx(1, abs=1e-9)
    if not worst:
        np.testing.assert_allclose(reached.prior, start.prior, rtol=1e-14)


@pytest.mark.parametrize("scale", [1e-80, 1e80])
@pytest.mark.parametrize("worst", [False, True])
def test_the_workload_s_scale_does_not_matter(scale: float, worst: bool) -> None:
    """Variances grow with its square."""
    start = some_design(7, 1.0, even=True)
    value = solved(lk.workloads.prefix(7), start, worst)[1]
    scaled = lk.workloads.from_matrix(scale * lk.workloads.prefix(7).to_dense())
    assert solved(scaled, start, worst)[1] == pytest.approx(value * scale**2, rel=1e-7)


def test_a_spent_budget_leaves_the_design_nearly_as_it_is() -> None:
    design = some_design(7, 1.0)
    reached, _ = interior_point(problem_of(WORKLOADS["prefix"], 1.0), design, False, Budget(time_limit=1e-9))
    np.testing.assert_allclose(reached.weights, design.weights, atol=1e-4 * design.weights.mean())


@pytest.mark.slow
def test_the_average_optimum_of_sixteen_prefixes() -> None:
    """74.80857, by patterns priced in from all 65,534."""
    workload = lk.workloads.prefix(16)
    solution = lk.optimize(workload, 1.0, "average", tolerance=1e-6)
    assert solution.value == pytest.approx(74.80857, abs=5e-5)
