"""Marginals, parities and histograms up to n = 512: the figures to reach, sizes, limits and Ctrl-C."""

from __future__ import annotations

import numpy as np
import pytest

import lowkey as lk
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.optimize import Progress, Status
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import Question
from lowkey.optimize.group_invariant import InvariantDesigns
from lowkey.workloads import Workload

NEAR = 1.005  # of what was reached before, by strategies that carry no permutations


def workload(kind: str, d: int) -> Workload:
    if kind == "histogram":
        return lk.workloads.histogram(2**d)
    if kind == "all_marginals":
        return lk.workloads.all_marginals([2] * d)
    return lk.workloads.parity(d, 3) if kind == "parity" else lk.workloads.k_way_marginals([2] * d, 3)


REACHED = {  # kind, log2 n: the variance per user by ε
    ("histogram", 6): {0.5: 970.88, 1.0: 227.42, 2.0: 43.952, 4.0: 3.7544},
    ("all_marginals", 6): {0.5: 36971.1, 1.0: 8648.6, 2.0: 1659.25, 4.0: 155.30},
    ("3way_marginals", 6): {0.5: 9301.74, 1.0: 2177.82, 2.0: 413.465, 4.0: 46.901},
    ("parity", 6): {0.5: 26302.4, 1.0: 6164.7, 2.0: 1198.3, 4.0: 136.77},
    ("histogram", 9): {1.0: 1877.20, 4.0: 37.7786},
    ("all_marginals", 9): {0.5: 2.12845e6, 1.0: 499946.0, 2.0: 97885.6, 4.0: 9856.6},
    ("3way_marginals", 9): {0.5: 107183.0, 1.0: 24344.6, 2.0: 4762.2, 4.0: 585.30},
    ("parity", 9): {0.5: 277290.0, 1.0: 64892.0, 2.0: 13466.0, 4.0: 1946.2},
}
ROWS = [(kind, d, epsilon, value) for (kind, d), row in REACHED.items() for epsilon, value in row.items()]
FAST = [row for row in ROWS if row[:3] in {("histogram", 6, 4.0), ("parity", 6, 4.0), ("3way_marginals", 9, 4.0)}]


def check_that_it_reaches(kind: str, d: int, epsilon: float, value: float) -> None:
    solution = lk.optimize(workload(kind, d), epsilon)
    assert solution.bound.value <= solution.value * (1 + 1e-9)
    assert solution.value <= NEAR * value
    assert lk.analyze(workload(kind, d), solution.mechanism).worst_case == pytest.approx(solution.value, rel=1e-9)


@pytest.mark.parametrize(("kind", "d", "epsilon", "value"), FAST)
def test_it_reaches_what_prototypes_reached(kind: str, d: int, epsilon: float, value: float) -> None:
    check_that_it_reaches(kind, d, epsilon, value)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "d", "epsilon", "value"), ROWS)
def test_it_reaches_all_that_prototypes_reached(kind: str, d: int, epsilon: float, value: float) -> None:
    check_that_it_reaches(kind, d, epsilon, value)


@pytest.mark.parametrize(("cells", "epsilon"), [(300, 1.0), (512, 4.0)])
def test_beyond_the_catalogue_s_first_sizes_it_still_competes(cells: int, epsilon: float) -> None:
    """Subset selection is the best that a histogram can get, or nearly; labels in random orders are not."""
    asked = lk.workloads.histogram(cells)
    known = lk.analyze(asked, lk.mechanisms.create("subset_selection", cells, epsilon)).worst_case
    assert lk.optimize(asked, epsilon).value <= known * (1 + 1e-9)


MIXED = lk.workloads.k_way_marginals([3, 2, 2], 2)
BINARY = lk.workloads.k_way_marginals([2] * 4, 2)


@pytest.mark.parametrize("per_cell", [1, 9])
@pytest.mark.parametrize("asked", [MIXED, BINARY], ids=["mixed", "binary"])
def test_max_outputs_holds(asked: Workload, per_cell: int) -> None:
    most = per_cell * asked.shape[1]
    solution = lk.optimize(asked, 1.0, max_outputs=most, iterations=50)
    assert solution.mechanism.shape[0] <= most
    assert solution.mechanism.is_ldp(1.0)
    if per_cell > 8:
        assert solution.gap < 0.01


def test_the_average_is_the_worst_case() -> None:
    one, other = (lk.optimize(BINARY, 1.0, objective).value for objective in ("worst", "average"))
    assert one == pytest.approx(other, rel=1e-6)


def test_a_prior_to_average_over_is_another_question() -> None:
    prior = np.linspace(1, 3, 16) / np.linspace(1, 3, 16).sum()
    assert not designs(BINARY, "average", prior).is_asked_for
    assert designs(BINARY, "worst", prior).is_asked_for
    assert not designs(lk.workloads.prefix(16)).is_asked_for
    assert not designs(lk.workloads.k_way_marginals([2] * 4, 0)).is_asked_for
    solution = lk.optimize(BINARY, 1.0, "average", prior=prior, iterations=100)
    assert solution.value == lk.analyze(BINARY, solution.mechanism, prior).average


def designs(asked: Workload, objective: str = "worst", prior: object = None, **limits: object) -> InvariantDesigns:
    weights = np.full(asked.shape[1], 1 / asked.shape[1]) if prior is None else np.asarray(prior)
    return InvariantDesigns(Question(asked, 1.0, objective, weights, None), Budget(**limits), 0)  # type: ignore[arg-type]


def test_candidates_are_analysed_as_what_they_are() -> None:
    for asked in (MIXED, BINARY, lk.workloads.histogram(7)):
        found = designs(asked).candidates()
        assert found
        for one in found:
            strategy = one.mechanism.to_dense()
            np.testing.assert_allclose(strategy.sum(axis=0), 1, atol=1e-12)
            dense = lk.mechanisms.DenseMechanism(strategy, 1.0)
            assert lk.analyze(asked, dense).worst_case == pytest.approx(one.analysis.worst_case, rel=1e-6)


@pytest.mark.parametrize("call", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("asked", [MIXED, BINARY, lk.workloads.histogram(7)], ids=["mixed", "binary", "histogram"])
def test_ctrl_c_at_any_call_ends_everything_at_once(asked: Workload, call: int) -> None:
    seen: list[Progress] = []

    def impatient(moment: Progress) -> None:
        seen.append(moment)
        if len(seen) == call:
            raise KeyboardInterrupt

    solution = lk.optimize(asked, 1.0, progress=impatient)
    assert len(seen) <= call
    assert (solution.status is Status.INTERRUPTED) == (len(seen) == call)
    assert solution.gap < 0.15


@pytest.mark.parametrize("seconds", [1e-9, 0.05])
@pytest.mark.parametrize("asked", [MIXED, BINARY], ids=["mixed", "binary"])
def test_a_time_limit_is_not_forgotten_by_later_searches(asked: Workload, seconds: float) -> None:
    solution = lk.optimize(asked, 1.0, time_limit=seconds)
    assert solution.status is Status.TIME_LIMIT
    assert solution.seconds < 3
    assert solution.gap < 0.2


def test_a_gap_that_is_proved_ends_the_search() -> None:
    solution = lk.optimize(MIXED, 1.0, target_gap=0.05)
    assert solution.status is Status.GAP_REACHED
    assert solution.gap <= 0.05


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_scale_of_the_weights_does_not_matter(scale: float) -> None:
    plain, scaled = (lk.optimize(lk.workloads.stack([BINARY], weights=[w]), 1.0) for w in (1.0, scale))
    assert scaled.value == pytest.approx(scale**2 * plain.value, rel=1e-6)
    uneven = lk.workloads.stack([BINARY, lk.workloads.all_marginals([2] * 4)], weights=[1.0, scale])
    assert lk.optimize(uneven, 1.0).gap < 0.01


@pytest.mark.parametrize("epsilon", [1e-3, 10.0])
@pytest.mark.parametrize(
    "sizes", [(7,), (2,), (1,), (1, 1), (1, 3), (2, 1, 3)], ids=lambda sizes: "·".join(map(str, sizes))
)
def test_small_domains_and_single_values(sizes: tuple[int, ...], epsilon: float) -> None:
    for degree in range(1, len(sizes) + 1):
        asked = lk.workloads.k_way_marginals(sizes, degree)
        solution = lk.optimize(asked, epsilon)
        assert solution.mechanism.is_ldp(epsilon)
        simple = lk.mechanisms.create("randomized_response", asked.shape[1], epsilon)
        assert solution.value <= lk.analyze(asked, simple).worst_case * (1 + 1e-9)


def test_only_the_total_needs_no_reports_worth_mentioning() -> None:
    solution = lk.optimize(lk.workloads.k_way_marginals([2, 3], 0), 1.0)
    assert solution.value == pytest.approx(0, abs=1e-12)


def test_seeds_hardly_matter() -> None:
    values = [lk.optimize(MIXED, 1.0, seed=seed).value for seed in range(3)]
    assert max(values) == pytest.approx(min(values), rel=2e-3)


def test_a_solution_of_this_kind_is_a_start() -> None:
    first = lk.optimize(MIXED, 1.0)
    assert isinstance(first.mechanism, InvariantMechanism)
    after = lk.optimize(MIXED, 1.0, start=first, time_limit=1e-9)
    assert after.value <= first.value * (1 + 1e-12)
