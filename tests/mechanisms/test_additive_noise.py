"""Additive noise: sensitivity, calibration, exact variance, simulation, and the choice of the strategy."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import quad
from scipy.stats import norm

from lowkey.checks import Matrix
from lowkey.errors import InvalidInput, NotAvailable, QueryNotAnswerable
from lowkey.mechanisms.additive_noise import (
    AdditiveNoise,
    gaussian,
    matrix_mechanism_l1,
    matrix_mechanism_l2,
)
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.gaussian_calibration import gaussian_delta, gaussian_noise
from lowkey.mechanisms.matrix_strategy import (
    centred,
    haar_queries,
    hierarchy_sums,
    l1_strategy,
    l2_strategy,
    optimal_l2_strategy,
    strategy_error,
    with_total,
)
from lowkey.mechanisms.p_identity import p_identity, p_identity_error
from lowkey.mechanisms.sensitivity import l1_sensitivity, l2_sensitivity
from lowkey.workloads import all_range, from_matrix, histogram, k_way_marginals, parity, prefix
from lowkey.workloads.base import Workload

WORKLOADS = [histogram(8), prefix(8), all_range(8), k_way_marginals([2, 2, 2], 2), parity(3, 2)]
CONSTRUCTORS = [matrix_mechanism_l1, matrix_mechanism_l2, gaussian]
by_name = pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.name)
by_constructor = pytest.mark.parametrize("constructor", CONSTRUCTORS, ids=lambda constructor: constructor.__name__)
matrices = arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(2, 6)),
    elements=st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, 3.0]) | st.floats(-10, 10),
)


def variance(mechanism: AdditiveNoise, workload: Workload) -> float:
    per_type = mechanism.closed_form_variance(workload)
    assert per_type.shape == (workload.shape[1],)
    assert np.ptp(per_type) == 0
    return float(per_type[0])


def slow_sensitivity(strategy: Matrix, order: int) -> float:
    columns = list(strategy.T)
    return max(float(np.linalg.norm(a - b, ord=order)) for a in columns for b in columns)


# -- literal values -----------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 5, 64])
def test_identity_with_laplace_noise_has_sensitivity_2_and_variance_n_times_8_over_epsilon_squared(
    n: int,
) -> None:
    mechanism = AdditiveNoise(np.eye(n), epsilon=0.5, noise="laplace")
    assert mechanism.sensitivity == 2
    assert mechanism.scale == 4
    assert variance(mechanism, histogram(n)) == pytest.approx(n * 2 * (2 / 0.5) ** 2, rel=1e-12)


def test_known_analytic_gaussian_value() -> None:
    """Φ(1/2 − 1) − e Φ(−1/2 − 1) at ε = 1, σ = Δ."""
    assert gaussian_delta(1.0, 1.0) == pytest.approx(norm.cdf(-0.5) - math.e * norm.cdf(-1.5), rel=1e-13)


def test_gaussian_mechanism_on_the_histogram_adds_its_noise_to_every_cell() -> None:
    mechanism = gaussian(4, 1.0, delta=1e-6)
    sigma = math.sqrt(2) * gaussian_noise(1.0, 1e-6)
    assert mechanism.scale == pytest.approx(sigma, rel=1e-9)
    assert variance(mechanism, histogram(4)) == pytest.approx(4 * sigma**2, rel=1e-9)


def test_no_workload_means_the_histogram() -> None:
    for constructor in CONSTRUCTORS:
        without, with_histogram = constructor(6, 1.0), constructor(6, 1.0, histogram(6))
        np.testing.assert_array_equal(without.strategy, with_histogram.strategy)


# -- sensitivity --------------------------------------------------------------------


@given(matrices)
def test_l1_sensitivity_is_the_largest_distance_between_columns(strategy: Matrix) -> None:
    assert l1_sensitivity(strategy) == pytest.approx(slow_sensitivity(strategy, 1), rel=1e-12, abs=1e-12)


@given(matrices)
def test_l2_sensitivity_is_never_below_the_largest_distance_and_hardly_above(strategy: Matrix) -> None:
    exact = slow_sensitivity(strategy, 2)
    assert exact <= l2_sensitivity(strategy) * (1 + 1e-15)
    assert l2_sensitivity(strategy) <= exact + 1e-6 * np.abs(strategy).max()


def test_a_row_that_is_the_same_for_everyone_costs_no_privacy() -> None:
    assert l1_sensitivity(with_total(np.eye(3))) == 2
    assert l2_sensitivity(np.full((2, 3), 7.0)) == 0


# -- calibration --------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0, 12.0])
@pytest.mark.parametrize("noise", [0.1, 0.5, 1.0, 5.0, 40.0])
def test_delta_is_the_integral_over_the_privacy_loss(epsilon: float, noise: float) -> None:
    """δ(ε) = ∫ max(0, p₁ − e^ε p₀): over the outputs whose loss (2x − 1)/2σ² exceeds ε, at Δ = 1."""
    start = epsilon * noise**2 + 0.5  # where the loss is ε

    def excess(x: float) -> float:
        return float(norm.pdf(x, 1, noise) * -np.expm1(epsilon - (2 * x - 1) / (2 * noise**2)))

    slow, _ = quad(excess, start, start + 12 * noise, epsabs=0, epsrel=1e-10, limit=200)
    low_end = max(start, 1 - 12 * noise)
    if low_end > start:
        slow, _ = quad(excess, low_end, 1 + 12 * noise, epsabs=0, epsrel=1e-10, limit=200)
    assert gaussian_delta(epsilon, noise) == pytest.approx(slow, rel=1e-7, abs=1e-300)


@given(st.floats(1e-4, 30), st.floats(-15, -0.5))
def test_noise_attains_its_delta_and_is_not_wasted(epsilon: float, log_delta: float) -> None:
    delta = 10**log_delta
    noise = gaussian_noise(epsilon, delta)
    assert gaussian_delta(epsilon, noise) <= delta
    assert gaussian_delta(epsilon, noise * (1 - 1e-6)) > delta


def test_delta_falls_smoothly_where_two_tails_nearly_cancel() -> None:
    """δ(0, σ) = 2Φ(1/2σ) − 1 ≈ 1/(σ√2π) for huge σ, where subtracting the tails would leave no digit."""
    assert gaussian_delta(1e-30, 1e12) == pytest.approx(1e-12 / math.sqrt(2 * math.pi), rel=1e-9)


def test_exact_calibration_needs_less_noise_than_the_textbook_formula() -> None:
    assert gaussian_noise(0.5, 1e-6) < math.sqrt(2 * math.log(1.25 / 1e-6)) / 0.5


# -- variance -----------------------------------------------------------------------


@by_constructor
@by_name
def test_variance_matches_the_explicit_estimator(constructor: Callable[..., AdditiveNoise], workload: Workload) -> None:
    """W A⁺ applied to independent noise of variance σ²: tr[(W A⁺)(W A⁺)ᵀ] σ²."""
    mechanism = constructor(8, 1.3, workload)
    noise = 2 * mechanism.scale**2 if mechanism.noise == "laplace" else mechanism.scale**2
    decoder = workload.to_dense() @ np.linalg.pinv(mechanism.strategy, rcond=1e-7)
    assert variance(mechanism, workload) == pytest.approx(noise * np.sum(decoder**2), rel=1e-8)
    per_query = mechanism.closed_form_query_variance(workload.to_dense(), np.zeros(8), 50.0)
    np.testing.assert_allclose(per_query, 50 * noise * np.sum(decoder**2, axis=1), rtol=1e-8, atol=1e-12)


@by_constructor
@by_name
def test_estimate_is_exact_without_noise(constructor: Callable[..., AdditiveNoise], workload: Workload) -> None:
    mechanism = constructor(8, 1.0, workload)
    x = np.arange(8.0)
    cells = mechanism.closed_form_estimate(Responses(mechanism.strategy @ x, 28))
    np.testing.assert_allclose(workload.matvec(cells), workload.matvec(x), atol=1e-9)


def test_a_workload_outside_the_row_space_is_refused_by_name() -> None:
    mechanism = AdditiveNoise([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 1.0, "laplace")
    assert mechanism.closed_form_variance(from_matrix([[2, 2, -1]])).shape == (3,)
    with pytest.raises(QueryNotAnswerable, match=r"determines query 1 \("):
        mechanism.closed_form_variance(from_matrix([[1, 1, 1], [1, 0, 0]]))


@by_constructor
def test_simulation_agrees_with_the_variance(constructor: Callable[..., AdditiveNoise]) -> None:
    """400 collections of 1,000 people: mean zero error, and mean squared error as computed (z-scores)."""
    workload, people, repeats = prefix(4), np.array([100, 0, 500, 400]), 400
    mechanism = constructor(4, 1.0, workload)
    rng = np.random.default_rng(7)
    estimates = [mechanism.closed_form_estimate(mechanism.simulate(people, rng)) for _ in range(repeats)]
    errors = np.array([workload.matvec(x - people) for x in estimates])
    squared = np.sum(errors**2, axis=1)
    expected = 1000 * variance(mechanism, workload)
    assert abs(squared.mean() - expected) < 4 * squared.std() / math.sqrt(repeats)
    per_query = mechanism.closed_form_query_variance(workload.to_dense(), people, 1000)
    assert (np.abs(errors.mean(axis=0)) < 4 * np.sqrt(per_query / repeats)).all()
    np.testing.assert_allclose(errors.var(axis=0), per_query, rtol=0.35)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_sum_for_many_people_has_the_law_of_that_many_summands(noise: str) -> None:
    """Second and fourth moments: κ₄ = 12 N b⁴ for a sum of N Laplace variables, 0 for Gaussians."""
    mechanism = _wide(noise)
    users = 3
    sums = mechanism.simulate([users, 0], np.random.default_rng(3)).values - mechanism.strategy[:, 0] * users
    second, fourth = np.mean(sums**2), np.mean(sums**4)
    expected = users * mechanism.noise_variance
    assert second == pytest.approx(expected, rel=0.02)
    excess = 12 * users * mechanism.scale**4 if noise == "laplace" else 0.0
    assert fourth == pytest.approx(3 * expected**2 + excess, rel=0.06)


def _wide(noise: str) -> AdditiveNoise:
    strategy = np.zeros((100_000, 2))
    strategy[0, 0] = 1.0
    return AdditiveNoise(strategy, 1.0, noise)  # type: ignore[arg-type]


def test_a_billion_people_are_simulated_at_once() -> None:
    mechanism = matrix_mechanism_l1(4, 1.0)
    responses = mechanism.simulate([10**9, 0, 0, 1], np.random.default_rng(0))
    assert responses.users == 10**9 + 1
    np.testing.assert_allclose(mechanism.closed_form_estimate(responses)[:2], [1e9, 0], atol=1e6)


# -- the choice of the strategy -------------------------------------------------------


@by_name
def test_l2_matrix_mechanism_is_never_worse_than_the_gaussian_mechanism(workload: Workload) -> None:
    best, plain = matrix_mechanism_l2(8, 1.0, workload), gaussian(8, 1.0, workload)
    assert variance(best, workload) <= variance(plain, workload) * (1 + 1e-9)


@by_name
def test_l1_matrix_mechanism_is_never_worse_than_noise_on_the_cells_or_on_the_workload(
    workload: Workload,
) -> None:
    best = variance(matrix_mechanism_l1(8, 1.0, workload), workload)
    for strategy in (np.eye(8), workload.to_dense()):
        assert best <= variance(AdditiveNoise(strategy, 1.0, "laplace"), workload) * (1 + 1e-9)


def random_strategies(n: int, seed: int) -> Iterator[Matrix]:
    """Brute force: many random query matrices of several shapes, each with the free total."""
    rng = np.random.default_rng(seed)
    for _ in range(1500):
        rows = int(rng.integers(n - 1, 2 * n + 1))
        dense = rng.standard_normal((rows, n)) if rng.random() < 0.3 else rng.random((rows, n))
        sparse = dense * (rng.random((rows, n)) < rng.random())
        if sparse.any():
            yield with_total(sparse)
            yield with_total(p_identity(np.abs(sparse)))


@pytest.mark.parametrize("workload", [histogram(3), prefix(3), prefix(4), all_range(3)], ids=lambda w: w.name)
def test_no_random_strategy_beats_the_l2_one(workload: Workload) -> None:
    """Bounded norms are a smaller class than bounded distances: 2% are allowed."""
    gram = workload.gram()
    others = (strategy_error(A, gram, l2_sensitivity) for A in random_strategies(workload.shape[1], seed=1))
    assert strategy_error(l2_strategy(gram), gram, l2_sensitivity) <= 1.02 * min(others)


@pytest.mark.parametrize("workload", [histogram(6), prefix(6), prefix(8), all_range(6)], ids=lambda w: w.name)
def test_no_random_strategy_beats_the_l1_one(workload: Workload) -> None:
    gram = workload.gram()
    others = (strategy_error(A, gram, l1_sensitivity) for A in random_strategies(workload.shape[1], seed=1))
    assert strategy_error(l1_strategy(gram, workload), gram, l1_sensitivity) <= min(others)


@pytest.mark.parametrize("workload", [*WORKLOADS, prefix(33), all_range(20)], ids=lambda w: f"{w.name}-{w.shape[1]}")
def test_optimal_l2_strategy_is_optimal_under_bounded_column_norms(workload: Workload) -> None:
    """Any d ≥ 0 bounds tr[X⁻¹G] from below by (tr (D^½ G D^½)^½)²/Σd: at the stationary d it is attained."""
    gram = workload.gram()
    strategy = optimal_l2_strategy(gram)
    information = strategy.T @ strategy
    assert information.diagonal().max() <= 1 + 1e-9
    inverse = np.linalg.pinv(information, rcond=1e-9, hermitian=True)
    multipliers = (inverse @ gram @ inverse).diagonal().clip(0)
    roots = np.sqrt(multipliers)
    middle = np.sqrt(np.linalg.eigvalsh(roots[:, None] * gram * roots).clip(0)).sum()
    assert np.trace(inverse @ gram) <= 1.0001 * middle**2 / multipliers.sum()


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_no_random_strategy_of_bounded_norms_beats_the_optimal_one(seed: int) -> None:
    gram = prefix(4).gram()
    other = np.random.default_rng(seed).standard_normal((5, 4))
    other /= np.linalg.norm(other, axis=0)
    error = np.trace(np.linalg.solve(other.T @ other, gram))
    best = optimal_l2_strategy(gram)
    assert np.trace(np.linalg.solve(best.T @ best, gram)) <= error * (1 + 1e-5)


def test_centred_gram_is_that_of_the_centred_queries() -> None:
    dense = all_range(5).to_dense()
    rest = dense - dense.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(centred(all_range(5).gram()), rest.T @ rest, atol=1e-12)


def test_p_identity_error_and_gradient_match_the_dense_formula_and_differences() -> None:
    rng = np.random.default_rng(0)
    theta, gram = rng.random((3, 6)), prefix(6).gram()
    error, gradient = p_identity_error(theta, gram)
    strategy = p_identity(theta)
    np.testing.assert_allclose(np.abs(strategy).sum(axis=0), 1.0)
    assert error == pytest.approx(np.trace(np.linalg.solve(strategy.T @ strategy, gram)), rel=1e-12)
    for index in np.ndindex(theta.shape):
        step = np.zeros_like(theta)
        step[index] = 1e-6
        difference = (p_identity_error(theta + step, gram)[0] - p_identity_error(theta - step, gram)[0]) / 2e-6
        assert gradient[index] == pytest.approx(difference, rel=1e-5, abs=1e-6)


def test_hierarchies_and_wavelets_are_the_matrices_that_their_names_say() -> None:
    expected = ["11111", "11000", "00110", "00001", "11110", "00001"]
    np.testing.assert_array_equal(hierarchy_sums(5, 2), [[int(bit) for bit in row] for row in expected])
    np.testing.assert_array_equal(haar_queries(4), [[1, 1, 1, 1], [1, -1, 0, 0], [0, 0, 1, -1], [1, 1, -1, -1]])
    assert np.linalg.matrix_rank(haar_queries(11)) == 11


# -- privacy and refusals -------------------------------------------------------------


@by_constructor
def test_only_laplace_noise_is_pure_ldp(constructor: Callable[..., AdditiveNoise]) -> None:
    mechanism = constructor(5, 1.0, prefix(5))
    is_pure = constructor is matrix_mechanism_l1
    assert mechanism.is_ldp(1.0) == mechanism.is_ldp(1.5) == is_pure
    assert not mechanism.is_ldp(0.99)
    assert mechanism.delta == (0.0 if is_pure else 1e-9)


def test_laplace_densities_of_any_two_types_differ_by_at_most_e_to_the_epsilon() -> None:
    """The log density ratio is at most ‖A(e_u − e_v)‖₁ / scale, attained beyond both in all coordinates."""
    mechanism = matrix_mechanism_l1(6, 0.8, prefix(6))
    outputs = np.random.default_rng(0).normal(0, 30, (2000, mechanism.shape[0]))
    distances = np.abs(outputs[:, :, None] - mechanism.strategy).sum(axis=1) / mechanism.scale
    assert np.ptp(distances, axis=1).max() <= 0.8 * (1 + 1e-12)
    assert slow_sensitivity(mechanism.strategy, 1) / mechanism.scale == pytest.approx(0.8, rel=1e-12)


@by_constructor
def test_the_number_of_people_alone_needs_no_noise(constructor: Callable[..., AdditiveNoise]) -> None:
    total = from_matrix(np.ones((1, 4)))
    assert variance(constructor(4, 1.0, total), total) == pytest.approx(0, abs=1e-9)


@by_constructor
def test_a_domain_of_one_cell_is_answered_exactly(constructor: Callable[..., AdditiveNoise]) -> None:
    mechanism = constructor(1, 1.0)
    assert variance(mechanism, histogram(1)) == 0
    assert mechanism.closed_form_estimate(mechanism.simulate([9], np.random.default_rng(0))) == pytest.approx(9)


def test_outputs_cannot_be_listed() -> None:
    with pytest.raises(NotAvailable, match=r"real vectors.*finitely many"):
        gaussian(3, 1.0).to_dense()


@pytest.mark.parametrize("delta", [0, 1, -0.1, "small", True, math.nan])
def test_bad_delta_is_refused(delta: object) -> None:
    with pytest.raises(InvalidInput, match=r"delta is .*both excluded.*1e-9 is usual"):
        gaussian(3, 1.0, delta=delta)  # type: ignore[arg-type]


def test_a_workload_over_other_cells_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"over 4 cells.*n = 5"):
        matrix_mechanism_l1(5, 1.0, prefix(4))


@pytest.mark.parametrize("strategy", [[[0.0, 0.0]], [1.0, 2.0], [[math.nan, 1.0]], [["a"]], np.zeros((0, 3))])
def test_a_bad_query_matrix_is_refused(strategy: object) -> None:
    with pytest.raises(InvalidInput, match="query matrix"):
        AdditiveNoise(strategy, 1.0, "laplace")


def test_unknown_noise_is_refused() -> None:
    with pytest.raises(InvalidInput, match="laplace, gaussian"):
        AdditiveNoise(np.eye(2), 1.0, "uniform")  # type: ignore[arg-type]
