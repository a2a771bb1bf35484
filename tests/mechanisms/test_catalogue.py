"""The catalogue: names, options, refusals; randomized response and square wave by hand; is_ldp."""

import math

import numpy as np
import pytest

from lowkey import workloads
from lowkey.analysis.variance import analyze
from lowkey.errors import InvalidInput, NotPrivate, TooLarge
from lowkey.mechanisms import DenseMechanism, available, create, is_ldp, names
from lowkey.mechanisms.square_wave import _best_bandwidth


def test_names() -> None:
    assert names() == (
        "randomized_response",
        "hadamard",
        "hierarchical",
        "haar",
        "fourier",
        "rappor",
        "optimized_unary_encoding",
        "optimized_local_hashing",
        "subset_selection",
        "block_design",
        "projective_geometry",
        "square_wave",
        "matrix_mechanism_l1",
        "matrix_mechanism_l2",
        "gaussian",
    )


def test_every_available_mechanism_can_be_created() -> None:
    for n in (1, 2, 7, 10):
        for name in available(n, 1.0):
            mechanism = create(name, n, 1.0)
            assert (mechanism.name, mechanism.domain_size, mechanism.epsilon) == (name, n, 1.0)
        assert set(names()) - set(available(n, 1.0)) == (set() if n == 7 else {"block_design"})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hadamrd", "'hadamrd'; expected one of .*Did you mean hadamard"),
        ("subset", "Did you mean subset_selection"),
        ("???", "expected one of randomized_response, hadamard, "),
        (None, "None; expected one of"),
    ],
)
def test_unknown_name(name: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        create(name, 4, 1.0)


def test_unknown_option() -> None:
    with pytest.raises(InvalidInput, match=r"hierarchical is 'depth'; expected one of branching, oracle, weights"):
        create("hierarchical", 4, 1.0, depth=3)
    with pytest.raises(InvalidInput, match="hadamard is 'depth'; expected none: it has no options"):
        create("hadamard", 4, 1.0, depth=3)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize(
    ("n", "epsilon"), [(0, 1.0), (2.5, 1.0), ("7", 1.0), (7, 0.0), (7, -1), (7, math.inf), (7, 31)]
)
def test_bad_domain_or_epsilon(name: str, n: int, epsilon: float) -> None:
    with pytest.raises(InvalidInput, match=r"^(n|epsilon) is"):
        create(name, n, epsilon)


@pytest.mark.parametrize(
    "name",
    ["randomized_response", "hadamard", "hierarchical", "haar", "fourier", "projective_geometry", "square_wave"],
)
def test_strategy_beyond_memory(name: str) -> None:
    with pytest.raises(TooLarge, match="strategy matrix of"):
        create(name, 20_000, 1.0)


@pytest.mark.parametrize("n", [2, 5, 100])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_randomized_response_as_in_the_paper(n: int, epsilon: float) -> None:
    """Worked example: variance (n−1)(n/(e^ε−1)² + 2/(e^ε−1)) on a histogram, and people needed for α."""
    e = math.exp(epsilon)
    mechanism = create("randomized_response", n, epsilon)
    analysis = analyze(workloads.histogram(n), mechanism)
    variance = (n - 1) * (n / (e - 1) ** 2 + 2 / (e - 1))
    np.testing.assert_allclose(mechanism.to_dense(), (np.ones((n, n)) + (e - 1) * np.eye(n)) / (e + n - 1))
    assert analysis.per_type == pytest.approx([variance] * n, rel=1e-9)
    assert analysis.sample_complexity(0.01) == pytest.approx(variance / (n * 0.01), rel=1e-9)


def test_square_wave_on_three_cells() -> None:
    """Bandwidth 1: five outputs, three of them favoured, e^ε = 2."""
    expected = np.array([[2, 1, 1], [2, 2, 1], [2, 2, 2], [1, 2, 2], [1, 1, 2]]) / 8
    np.testing.assert_allclose(create("square_wave", 3, math.log(2), bandwidth=1).to_dense(), expected, rtol=1e-12)


def test_bandwidth_of_the_square_wave() -> None:
    """1/(2e(e−2)) = 0.25608 of the domain at ε = 1; a half as ε vanishes; a single cell for large ε."""
    assert [_best_bandwidth(100_000, epsilon) for epsilon in (1e-9, 1.0)] == [49_999, 25_608]
    assert _best_bandwidth(1000, 10.0) == 0
    assert abs(_best_bandwidth(10**6, 1.0001e-4) - _best_bandwidth(10**6, 0.9999e-4)) <= 2
    np.testing.assert_array_equal(
        create("square_wave", 9, 10.0).to_dense(), create("randomized_response", 9, 10.0).to_dense()
    )


@pytest.mark.parametrize("bandwidth", [-1, 0.5, "wide"])
def test_bandwidth_counts_cells(bandwidth: object) -> None:
    with pytest.raises(InvalidInput, match=r"bandwidth is .*; expected a whole number of at least 0"):
        create("square_wave", 9, 1.0, bandwidth=bandwidth)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ([[0.75, 0.25], [0.25, 0.75]], True),
        ([[0.76, 0.25], [0.24, 0.75]], False),  # ratios 3.04 and 3.125
        ([[0.75, 0.25], [0.25, 0.74]], False),  # a column sums to 0.99
        ([[1.1, 1.1], [-0.1, -0.1]], False),
        ([[1.0, 0.5], [0.0, 0.5]], False),  # zero for one type alone
        ([[1.0, 1.0], [0.0, 0.0]], True),  # an output that never occurs
        ([[math.nan, 1.0], [0.5, 0.0]], False),
    ],
)
def test_is_ldp_at_log_three(strategy: list[list[float]], expected: bool) -> None:
    assert is_ldp(strategy, math.log(3)) is expected


def test_privacy_is_that_of_the_columns_divided_by_their_sums() -> None:
    """Column 0 lacks 9e-10: as it stands row 0 has a ratio of 3(1 − 9e-10), as it is drawn from one of 3."""
    strategy = np.array([[0.6, 0.2], [0.4, 0.8]]) * [1 - 9e-10, 1]
    assert not is_ldp(strategy, math.log(3 * (1 - 9e-10)))
    with pytest.raises(NotPrivate):
        DenseMechanism(strategy, math.log(3 * (1 - 9e-10)))
    assert is_ldp(strategy, math.log(3))


def test_is_ldp_needs_a_matrix() -> None:
    with pytest.raises(InvalidInput, match="an array of shape"):
        is_ldp([0.5, 0.5], 1.0)


@pytest.mark.parametrize(
    ("strategy", "error", "message"),
    [
        ([[0.8, 0.2], [0.2, 0.8]], NotPrivate, r"likelier to report output 0 in cell 0 than in cell 1; .* e\^1"),
        ([[0.7, 0.3], [0.3, 0.6]], InvalidInput, "column 1 sums to 0.9"),
        ([[1.2, 0.5], [-0.2, 0.5]], InvalidInput, "negative"),
        ([[0.5, 0.5]] * 2 + [[0.0]], InvalidInput, "2-D array"),
        ("matrix", InvalidInput, "2-D array"),
    ],
)
def test_matrix_that_is_no_strategy(strategy: object, error: type[InvalidInput], message: str) -> None:
    with pytest.raises(error, match=message):
        DenseMechanism(strategy, 1.0)


def test_strategy_cannot_be_changed_afterwards() -> None:
    given = np.array([[0.75, 0.25], [0.25, 0.75]])
    mechanism = DenseMechanism(given, 1.1)
    given[0, 0] = 0.9
    assert mechanism.to_dense()[0, 0] == 0.75
    with pytest.raises(ValueError, match="read-only"):
        mechanism.to_dense()[0, 0] = 0.9
