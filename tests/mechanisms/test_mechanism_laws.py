"""Laws that every mechanism of the catalogue keeps, at several domain sizes and ε."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowkey import workloads
from lowkey.analysis.reconstruction import StrategyDecoder
from lowkey.analysis.variance import analyze
from lowkey.errors import InvalidInput
from lowkey.mechanisms import Mechanism, TwoLevelMechanism, available, create, is_ldp, names
from lowkey.mechanisms.two_level import high_level

ADDITIVE = {"matrix_mechanism_l1", "matrix_mechanism_l2", "gaussian"}
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in names()),
    *((name, {"explicit": False}) for name in ("rappor", "optimized_unary_encoding", "subset_selection")),
    ("optimized_local_hashing", {"explicit": False, "g": 3}),
    ("subset_selection", {"explicit": False, "d": 3}),
    ("hierarchical", {"branching": 2, "oracle": "subset_selection", "weights": [3, 2, 1]}),
    ("haar", {"weights": [1, 2, 3]}),
    ("fourier", {"constant": False}),
    ("block_design", {"k": 4}),
    ("projective_geometry", {"q": 5}),
    ("square_wave", {"bandwidth": 2}),
    ("two_level", {}),
]


SETTINGS = [
    (name, n, epsilon)
    for n in (1, 2, 3, 5, 7, 13, 16)
    for epsilon in (0.01, 1.0, 3.0, 12.0)
    for name in ("two_level", *available(n, epsilon))
    if name not in ADDITIVE
]


def make(name: str, n: int, epsilon: float, **options: Any) -> Mechanism:
    """A mechanism of the catalogue, or random two-level rows with their complements: their columns sum to 1."""
    if name != "two_level":
        return create(name, n, epsilon, **options)
    rng = np.random.default_rng(n)
    half = np.vstack([rng.random((2 * n, n)) < 0.4, np.eye(n, dtype=bool)])
    weights = rng.dirichlet(np.ones(len(half))) / (1 + high_level(epsilon))
    return TwoLevelMechanism(np.vstack([half, ~half]), np.concatenate([weights, weights]), epsilon)


def variant_id(variant: tuple[str, dict[str, Any]]) -> str:
    return "-".join([variant[0], *(f"{option}={value}" for option, value in variant[1].items())])


@pytest.mark.parametrize(("name", "n", "epsilon"), SETTINGS)
def test_strategy_is_private_at_its_epsilon_and_no_better(name: str, n: int, epsilon: float) -> None:
    check_privacy(name, n, epsilon)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.data(), st.integers(17, 70), st.floats(0.001, 12))
def test_larger_strategies_are_private_too(data: st.DataObject, n: int, epsilon: float) -> None:
    listed = [
        name for name in available(n, epsilon) if name not in ADDITIVE and not create(name, n, epsilon).has_closed_form
    ]
    check_privacy(data.draw(st.sampled_from(listed)), n, epsilon)


def check_privacy(name: str, n: int, epsilon: float) -> None:
    """Columns sum to 1 and the largest ratio in a row is e^ε, both to the last digits; 0.9 ε is not kept."""
    mechanism = make(name, n, epsilon)
    strategy = mechanism.to_dense()
    assert strategy.shape == mechanism.shape == (len(strategy), n)
    assert (strategy >= 0).all()
    assert [math.fsum(column) for column in strategy.T] == pytest.approx([1.0] * n, rel=0, abs=1e-14)
    assert is_ldp(strategy, epsilon)
    assert mechanism.is_ldp(epsilon)
    if n > 1:
        ratio = (strategy.max(axis=1) / strategy.min(axis=1)).max()
        assert ratio == pytest.approx(math.exp(epsilon), rel=1e-14)
        assert not is_ldp(strategy, 0.9 * epsilon)
        assert not mechanism.is_ldp(0.9 * epsilon)


@pytest.mark.parametrize(("name", "n", "epsilon"), [case for case in SETTINGS if case[1] < 12])
def test_decoder_is_unbiased_on_prefixes(name: str, n: int, epsilon: float) -> None:
    mechanism = make(name, n, epsilon)
    workload = workloads.prefix(n)
    decoder = analyze(workload, mechanism).decoder
    assert isinstance(decoder, StrategyDecoder)
    product = decoder.to_dense() @ mechanism.to_dense()
    np.testing.assert_allclose(product, workload.to_dense(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)
def test_simulation_agrees_with_the_analysis(variant: tuple[str, dict[str, Any]]) -> None:
    """Means within 5 standard errors of the truth, squared errors of the variance; one type has nobody."""
    name, options = variant
    people = np.array([500, 0, 40, 300, 1, 100, 59])
    mechanism = make(name, 7, 1.5, **options)
    workload = workloads.prefix(7)
    analysis = analyze(workload, mechanism)
    rng, runs = np.random.default_rng(20), 1500
    errors = np.empty((runs, 7))
    for run in range(runs):
        responses = mechanism.simulate(people, rng)
        assert responses.users == 1000
        errors[run] = workload.matvec(analysis.decoder.estimate_cells(responses) - people)
    exact = np.abs(errors).max(axis=0) < 1e-6
    standard_errors = errors.std(axis=0) / math.sqrt(runs)
    assert (np.abs(errors.mean(axis=0)) < 5 * standard_errors + exact * 1e-6).all()
    squares = (errors**2).sum(axis=1)
    deviation = squares.mean() - analysis.total_variance(people)
    assert abs(deviation) < 5 * squares.std() / math.sqrt(runs)


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)
def test_simulation_takes_a_billion_people(variant: tuple[str, dict[str, Any]]) -> None:
    name, options = variant
    mechanism = make(name, 7, 1.5, **options)
    workload = workloads.histogram(7)
    analysis = analyze(workload, mechanism)
    people = np.full(7, 10**9)
    responses = mechanism.simulate(people, np.random.default_rng(3))
    error = analysis.decoder.estimate_cells(responses) - people
    assert responses.users == 7 * 10**9
    assert (error**2).sum() < 10 * analysis.total_variance(people)


@pytest.mark.parametrize("name", [*names(), "two_level"])
@pytest.mark.parametrize(
    ("people", "message"),
    [
        ([1.0, 2.0], "length 7"),
        ([-1, 0, 0, 0, 0, 0, 0], "negative"),
        ([0.2, 0.8, 0, 0, 0, 0, 0], "whole number of people"),
        ([2.0**53, 1e9, 0, 0, 0, 0, 0], "at most 2\\^53"),
        ([math.nan] * 7, "NaN"),
    ],
)
def test_simulation_refuses_what_is_no_population(name: str, people: list[float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make(name, 7, 1.0).simulate(people, np.random.default_rng(0))
