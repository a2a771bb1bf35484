"""Mechanisms that report sets of cells: their formulas against enumeration and against the literature's."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from lowkey import workloads
from lowkey.analysis.variance import analyze
from lowkey.checks import Matrix
from lowkey.errors import InvalidInput, TooLarge
from lowkey.mechanisms import Mechanism, Responses, create
from lowkey.mechanisms.support import SupportMechanism
from lowkey.workloads import Workload

CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("rappor", 1, {}),
    ("rappor", 4, {}),
    ("optimized_unary_encoding", 5, {}),
    ("optimized_local_hashing", 4, {}),
    ("optimized_local_hashing", 3, {"g": 2}),
    ("optimized_local_hashing", 3, {"g": 5}),
    ("subset_selection", 1, {}),
    ("subset_selection", 2, {}),
    ("subset_selection", 3, {"d": 2}),
    ("subset_selection", 5, {"d": 1}),
    ("subset_selection", 6, {"d": 3}),
    ("subset_selection", 5, {"d": 4}),
]
EPSILON = 1.2


def closed_form(name: str, n: int, epsilon: float = EPSILON, **options: Any) -> SupportMechanism:
    mechanism = create(name, n, epsilon, explicit=False, **options)
    assert isinstance(mechanism, SupportMechanism)
    return mechanism


def some_workload(n: int, queries: int = 4) -> Workload:
    return workloads.from_matrix(np.random.default_rng(n).normal(size=(queries, n)))


def reports(mechanism: Mechanism, cell: int) -> dict[tuple[int, ...], float]:
    """The probability of each set of cells (as bits) for someone in `cell`, straight from the definition."""
    n, e = mechanism.domain_size, math.exp(mechanism.epsilon)
    if mechanism.name == "rappor":
        return unary(n, cell, math.sqrt(e) / (1 + math.sqrt(e)), 1 / (1 + math.sqrt(e)))
    if mechanism.name == "optimized_unary_encoding":
        return unary(n, cell, 0.5, 1 / (e + 1))
    if mechanism.name == "optimized_local_hashing":
        return hashing(n, cell, mechanism.g, e)  # type: ignore[attr-defined]
    sets = [bits for bits in itertools.product([0, 1], repeat=n) if sum(bits) == mechanism.d]  # type: ignore[attr-defined]
    weights = {bits: e if bits[cell] else 1.0 for bits in sets}
    return {bits: weight / sum(weights.values()) for bits, weight in weights.items()}


def unary(n: int, cell: int, p: float, q: float) -> dict[tuple[int, ...], float]:
    chances = [p if v == cell else q for v in range(n)]
    return {
        bits: math.prod(c if bit else 1 - c for bit, c in zip(bits, chances, strict=True))
        for bits in itertools.product([0, 1], repeat=n)
    }


def hashing(n: int, cell: int, g: int, e: float) -> dict[tuple[int, ...], float]:
    chances: dict[tuple[int, ...], float] = {}
    for values in itertools.product(range(g), repeat=n):
        for reported in range(g):
            bits = tuple(int(value == reported) for value in values)
            chance = (e if values[cell] == reported else 1.0) / (e + g - 1) / g**n
            chances[bits] = chances.get(bits, 0.0) + chance
    return chances


def enumerate_estimates(mechanism: SupportMechanism, cell: int) -> tuple[np.ndarray[Any, Any], Matrix]:
    """(probabilities, estimates from one such report) over all reports of someone in `cell`."""
    outcomes = reports(mechanism, cell)
    estimates = [mechanism.closed_form_estimate(Responses(np.array(bits, float), 1)) for bits in outcomes]
    return np.array(list(outcomes.values())), np.array(estimates)


@pytest.mark.parametrize(("name", "n", "options"), CASES)
class TestAgainstEnumeration:
    def test_estimate_is_unbiased(self, name: str, n: int, options: dict[str, Any]) -> None:
        mechanism = closed_form(name, n, **options)
        for cell in range(n):
            chances, estimates = enumerate_estimates(mechanism, cell)
            np.testing.assert_allclose(chances @ estimates, np.eye(n)[cell], atol=1e-12)

    def test_per_type_variance(self, name: str, n: int, options: dict[str, Any]) -> None:
        mechanism, workload = closed_form(name, n, **options), some_workload(n)
        variance = mechanism.closed_form_variance(workload)
        for cell in range(n):
            chances, estimates = enumerate_estimates(mechanism, cell)
            errors = (estimates - np.eye(n)[cell]) @ workload.to_dense().T
            assert variance[cell] == pytest.approx(chances @ (errors**2).sum(axis=1), rel=1e-10, abs=1e-12)

    def test_query_variance_of_a_population(self, name: str, n: int, options: dict[str, Any]) -> None:
        mechanism, rows = closed_form(name, n, **options), some_workload(n).to_dense()
        people = np.arange(1.0, n + 1)
        expected = np.zeros(len(rows))
        for cell in range(n):
            chances, estimates = enumerate_estimates(mechanism, cell)
            expected += people[cell] * (chances @ ((estimates - np.eye(n)[cell]) @ rows.T) ** 2)
        variance = mechanism.closed_form_query_variance(rows, people, people.sum())
        np.testing.assert_allclose(variance, expected, rtol=1e-10, atol=1e-12)

    def test_strategy_matrix_lists_the_same_reports(self, name: str, n: int, options: dict[str, Any]) -> None:
        strategy = create(name, n, EPSILON, explicit=True, **options).to_dense()
        mechanism = closed_form(name, n, **options)
        np.testing.assert_array_equal(mechanism.to_dense(), strategy)
        tables = [reports(mechanism, cell) for cell in range(n)]
        expected = np.array([[table[bits] for table in tables] for bits in tables[0]])
        order, wanted = np.lexsort(np.round(strategy.T, 12)), np.lexsort(np.round(expected.T, 12))
        np.testing.assert_allclose(strategy[order], expected[wanted], rtol=1e-10)


@pytest.mark.parametrize("name", ["rappor", "optimized_unary_encoding", "optimized_local_hashing"])
@pytest.mark.parametrize("workload", [workloads.histogram(6), workloads.prefix(6)], ids=["histogram", "prefix"])
def test_best_decoder_of_all_outputs_beats_the_estimate_cell_by_cell(name: str, workload: Workload) -> None:
    listed = analyze(workload, create(name, 6, EPSILON))
    by_cell = analyze(workload, closed_form(name, 6))
    assert listed.average < by_cell.average


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("n", [13, 1000])
class TestTextbookVariances:
    def test_rappor(self, n: int, epsilon: float) -> None:
        half = math.exp(epsilon / 2)
        analysis = analyze(workloads.histogram(n), create("rappor", n, epsilon))
        assert analysis.per_type == pytest.approx([n * half / (half - 1) ** 2] * n, rel=1e-12)

    def test_optimized_unary_encoding(self, n: int, epsilon: float) -> None:
        """4e^ε/(e^ε−1)² for a cell that nobody is in, and 1 more for one's own."""
        e = math.exp(epsilon)
        mechanism = create("optimized_unary_encoding", n, epsilon)
        own, other = np.eye(n)[:1], np.eye(n)[1:2]
        all_in_first = 1e6 * np.eye(n)[0]
        assert mechanism.closed_form_query_variance(other, all_in_first, 1e6) == pytest.approx(
            4e6 * e / (e - 1) ** 2, rel=1e-12
        )
        assert mechanism.closed_form_query_variance(own, all_in_first, 1e6) == pytest.approx(
            1e6 * (e + 1) ** 2 / (e - 1) ** 2, rel=1e-12
        )

    def test_optimized_local_hashing_at_an_integer_g(self, n: int, epsilon: float) -> None:
        """(e^ε + g − 1)²/((e^ε − 1)² (g − 1)) for a cell that nobody is in (Wang et al. 2017, equation 7)."""
        e = math.exp(epsilon)
        mechanism = create("optimized_local_hashing", n, epsilon, g=4)
        variance = mechanism.closed_form_query_variance(np.eye(n)[1:2], 100 * np.eye(n)[0], 100)
        assert variance == pytest.approx(100 * (e + 3) ** 2 / ((e - 1) ** 2 * 3), rel=1e-12)


def test_default_number_of_hash_values() -> None:
    values = [closed_form("optimized_local_hashing", 3, epsilon).g for epsilon in (0.1, 1.0, 2.0)]  # type: ignore[attr-defined]
    assert values == [2, 4, 8]


def test_query_variance_stays_in_its_range_for_a_wild_estimate() -> None:
    """An estimate may have negative cells; a variance lies between that of the best and of the worst type."""
    mechanism = create("optimized_unary_encoding", 40, 6.0)
    cell = np.eye(40)[:1]
    estimate = np.zeros(40)
    estimate[:2] = -1e6, 1e6
    best = mechanism.closed_form_query_variance(cell, 1000 * np.eye(40)[1], 1000)
    assert mechanism.closed_form_query_variance(cell, estimate, 1000) == pytest.approx(best, rel=1e-9)


def test_query_variance_counts_everyone_where_the_estimate_does_not() -> None:
    """An estimate of 900 people out of 1000: the other 100 are spread over the cells."""
    mechanism = create("optimized_unary_encoding", 20, 4.0)
    rows = np.random.default_rng(2).normal(size=(3, 20))
    estimate = np.linspace(35, 55, 20)
    expected = mechanism.closed_form_query_variance(rows, estimate + 5, 1000)
    np.testing.assert_allclose(mechanism.closed_form_query_variance(rows, estimate, 1000), expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["rappor", "optimized_unary_encoding", "optimized_local_hashing"])
def test_outputs_are_listed_up_to_twelve_cells(name: str) -> None:
    assert not create(name, 12, 1.0).has_closed_form
    assert create(name, 13, 1.0).has_closed_form


def test_subsets_are_listed_up_to_4096() -> None:
    assert not create("subset_selection", 28, 1.0, d=3).has_closed_form  # 3276 sets
    assert create("subset_selection", 31, 1.0, d=3).has_closed_form  # 4495 sets


@pytest.mark.parametrize("name", ["rappor", "optimized_unary_encoding", "optimized_local_hashing", "subset_selection"])
class TestRefusals:
    def test_strategy_matrix_of_many_cells(self, name: str) -> None:
        mechanism = create(name, 20_000, 1.0)
        with pytest.raises(TooLarge, match=rf"matrix of {name} is about 10\^\d+ outputs × 20,000 cells"):
            mechanism.to_dense()
        with pytest.raises(TooLarge, match="need"):
            create(name, 200, 1.0, explicit=True)

    def test_explicit_that_is_no_choice(self, name: str) -> None:
        with pytest.raises(InvalidInput, match="explicit is 'yes'; expected True, False or None"):
            create(name, 5, 1.0, explicit="yes")

    def test_repr_of_many_cells_is_short(self, name: str) -> None:
        assert len(repr(create(name, 20_000, 1.0))) < 120

    def test_responses_of_the_wrong_length(self, name: str) -> None:
        with pytest.raises(InvalidInput, match="length 30"):
            create(name, 30, 1.0).closed_form_estimate(Responses(np.zeros(29), 5))


@pytest.mark.parametrize("g", [1, 0, 2.5, True])
def test_g_is_a_whole_number_from_two(g: object) -> None:
    with pytest.raises(InvalidInput, match=r"g is .*; expected a whole number of at least 2"):
        create("optimized_local_hashing", 5, 1.0, g=g)
