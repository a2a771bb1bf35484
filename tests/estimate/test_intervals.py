"""Standard errors and intervals: exact formulas, unbiased variances, honest coverage."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from lowkey import workloads
from lowkey.analysis import analyze
from lowkey.analysis.reconstruction import StrategyDecoder, best_decoder
from lowkey.checks import Matrix, Vector
from lowkey.estimate.estimate import estimate_responses
from lowkey.estimate.intervals import normal_interval, standard_errors
from lowkey.mechanisms import DenseMechanism, Mechanism, Responses, create
from lowkey.workloads import Workload

PREFIX = workloads.prefix(4)
MECHANISM = create("hierarchical", 4, 1.0)
PEOPLE = np.array([700.0, 0, 250, 50])


def true_variances(workload: Workload, mechanism: Mechanism, x: Vector) -> Vector:
    """The paper's Variance theorem, query by query, from the dense V and Q."""
    strategy = mechanism.to_dense()
    decoder = best_decoder(workload, mechanism, np.full(len(x), 1 / len(x)))
    assert isinstance(decoder, StrategyDecoder)
    v = decoder.to_dense()
    per_type = np.array([np.diag(v @ (np.diag(q) - np.outer(q, q)) @ v.T) for q in strategy.T])
    return np.asarray(x @ per_type)


def errors_of(workload: Workload, mechanism: Mechanism, responses: Responses) -> Vector:
    return estimate_responses(workload, mechanism, responses).standard_errors


def test_standard_errors_match_the_dense_formula() -> None:
    """diag(V Diag(y) Vᵀ) − diag(W Diag(x̂) Wᵀ), clipped at zero."""
    y = MECHANISM.simulate(PEOPLE, np.random.default_rng(0))
    decoder = best_decoder(PREFIX, MECHANISM, np.full(4, 0.25))
    assert isinstance(decoder, StrategyDecoder)
    v, w, cells = decoder.to_dense(), PREFIX.to_dense(), decoder.estimate_cells(y)
    slow = np.diag(v @ np.diag(y.values) @ v.T) - np.diag(w @ np.diag(cells) @ w.T)
    errors = standard_errors(PREFIX, MECHANISM, decoder, y, cells)
    np.testing.assert_allclose(errors, np.sqrt(slow.clip(0)), rtol=1e-9, atol=1e-5)


def outcomes(strategy: Matrix, people: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """Every response vector of these few people, with its probability."""
    m = len(strategy)
    result: dict[tuple[int, ...], float] = {}
    for reports in itertools.product(range(m), repeat=len(people)):
        counts = tuple(np.bincount(reports, minlength=m).tolist())
        chance = math.prod(float(strategy[o, u]) for o, u in zip(reports, people, strict=True))
        result[counts] = result.get(counts, 0.0) + chance
    return result


@pytest.mark.parametrize("workload", [workloads.prefix(3), workloads.from_matrix([[1, -2, 0.5], [0, 3, 1]])])
def test_variance_estimates_are_unbiased_by_enumeration(workload: Workload) -> None:
    """Over all outcomes of five people: the mean of s² is the variance. Clipping and the root come afterwards."""
    from lowkey.estimate.intervals import _strategy_variances

    mechanism = create("randomized_response", 3, 1.0)
    strategy = mechanism.to_dense()
    decoder = best_decoder(workload, mechanism, np.full(3, 1 / 3))
    assert isinstance(decoder, StrategyDecoder)
    people = (0, 0, 2, 2, 2)
    mean = np.zeros(workload.shape[0])
    for counts, chance in outcomes(strategy, people).items():
        responses = Responses(np.array(counts, dtype=float), len(people))
        cells = decoder.estimate_cells(responses)
        mean += chance * _strategy_variances(workload, strategy, decoder.cells, responses, cells)
    np.testing.assert_allclose(mean, true_variances(workload, mechanism, np.array([2.0, 0, 3])), rtol=1e-10, atol=1e-12)


def test_squared_errors_sum_to_the_analysis() -> None:
    """For many people the estimated total variance is that of `analyze`, to about 1%."""
    responses = MECHANISM.simulate(PEOPLE * 10**5, np.random.default_rng(1))
    total = np.sum(errors_of(PREFIX, MECHANISM, responses) ** 2)
    assert total == pytest.approx(analyze(PREFIX, MECHANISM).total_variance(PEOPLE * 10**5), rel=0.01)


@pytest.mark.parametrize("name", ["randomized_response", "hierarchical", "hadamard"])
def test_intervals_hold_the_truth_as_often_as_they_say(name: str) -> None:
    """400 collections of 1,000 people: each query's coverage of 90% intervals is within 4.5 binomial errors."""
    mechanism, repeats, rng = create(name, 4, 1.0), 400, np.random.default_rng(2)
    truth = PREFIX.matvec(PEOPLE)
    held = np.zeros(4)
    for _ in range(repeats):
        found = estimate_responses(PREFIX, mechanism, mechanism.simulate(PEOPLE, rng), confidence=0.9)
        held += (found.low - 1e-6 <= truth) & (truth <= found.high + 1e-6)
    spread = 4.5 * math.sqrt(0.9 * 0.1 / repeats)
    assert (np.abs(held[:3] / repeats - 0.9) < spread).all()
    assert held[3] == repeats  # everyone: known exactly


@pytest.mark.parametrize("name", ["rappor", "optimized_unary_encoding", "optimized_local_hashing"])
def test_closed_form_mechanisms_bring_their_own_errors(name: str) -> None:
    """z-scores of the answers have variance 1, over 300 collections."""
    mechanism = create(name, 4, 1.0, explicit=False)
    assert mechanism.has_closed_form
    rng, repeats, truth = np.random.default_rng(3), 300, workloads.histogram(4).matvec(PEOPLE)
    z = np.empty((repeats, 4))
    for trial in range(repeats):
        found = estimate_responses(workloads.histogram(4), mechanism, mechanism.simulate(PEOPLE, rng))
        z[trial] = (found.answers - truth) / found.standard_errors
    assert (np.abs(z.mean(axis=0)) < 4 / math.sqrt(repeats)).all()
    np.testing.assert_allclose(z.var(axis=0), 1, atol=4 * math.sqrt(2 / repeats))


def test_additive_noise_brings_its_own_errors() -> None:
    from lowkey.mechanisms.additive_noise import matrix_mechanism_l1

    mechanism = matrix_mechanism_l1(4, 1.0, PREFIX)
    found = estimate_responses(PREFIX, mechanism, mechanism.simulate(PEOPLE, np.random.default_rng(0)))
    expected = 1000 * mechanism.closed_form_variance(PREFIX)[0]
    assert np.sum(found.standard_errors**2) == pytest.approx(expected, rel=1e-9)


# -- mechanisms that do not tell all cells apart --------------------------------------------


COIN = DenseMechanism([[0.7, 0.7, 0.3, 0.3], [0.3, 0.3, 0.7, 0.7]], 1.0)


def test_unions_of_cells_have_exact_errors_though_the_cells_are_unknown() -> None:
    """Zeros and ones are their own squares: the same errors as for the two-cell survey that it really is."""
    halves = workloads.from_matrix([[1, 1, 0, 0], [0, 0, 1, 1]])
    responses = COIN.simulate(PEOPLE, np.random.default_rng(4))
    two = DenseMechanism([[0.7, 0.3], [0.3, 0.7]], 1.0)
    expected = errors_of(workloads.histogram(2), two, responses)
    np.testing.assert_allclose(errors_of(halves, COIN, responses), expected, rtol=1e-9)


def test_queries_whose_squares_are_unknown_get_errors_on_the_wide_side() -> None:
    """A third type that looks like half of each of the others: Σ w² x is unknown, the mean of s² is no less."""
    from lowkey.estimate.intervals import _strategy_variances

    strategy = np.array([[0.6, 0.3, 0.45], [0.4, 0.7, 0.55]])
    mechanism = DenseMechanism(strategy, 1.0)
    workload = workloads.from_matrix([strategy[0] * 10])
    decoder = best_decoder(workload, mechanism, np.full(3, 1 / 3))
    assert isinstance(decoder, StrategyDecoder)
    for people in [(0, 0, 1, 1), (2, 2, 2, 2), (0, 1, 2, 2), (1, 1, 1, 1)]:
        mean = 0.0
        for counts, chance in outcomes(strategy, people).items():
            responses = Responses(np.array(counts, dtype=float), len(people))
            cells = decoder.estimate_cells(responses)
            mean += chance * _strategy_variances(workload, strategy, decoder.cells, responses, cells)[0]
        x = np.bincount(people, minlength=3).astype(float)
        assert mean >= true_variances(workload, mechanism, x)[0] * (1 - 1e-9)


# -- the interval ---------------------------------------------------------------------------


@pytest.mark.parametrize(("confidence", "reach"), [(0.95, 1.959963984540054), (0.5, 0.6744897501960817)])
def test_intervals_reach_the_normal_quantile(confidence: float, reach: float) -> None:
    low, high = normal_interval(np.array([10.0, 0.0]), np.array([2.0, 0.0]), confidence)
    np.testing.assert_allclose(low, [10 - 2 * reach, 0], rtol=1e-12)
    np.testing.assert_allclose(high, [10 + 2 * reach, 0], rtol=1e-12)
    assert norm.cdf(reach) - norm.cdf(-reach) == pytest.approx(confidence)
