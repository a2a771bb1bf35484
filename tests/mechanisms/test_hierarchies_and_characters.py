"""Hadamard, hierarchical, Haar and Fourier: matrices by hand, options, and what cannot be."""

import math

import numpy as np
import pytest

from lowkey import workloads
from lowkey.analysis.variance import analyze
from lowkey.errors import InvalidInput, QueryNotAnswerable
from lowkey.mechanisms import create

THREE = math.log(3)  # e^ε = 3


@pytest.mark.parametrize(
    ("n", "epsilon", "outputs"),
    [(64, 0.5, 128), (64, 4.0, 128), (3, 0.5, 4), (3, 1.0, 8), (1, 1.0, 2), (100, 2.0, 128)],
)
def test_outputs_of_hadamard_response(n: int, epsilon: float, outputs: int) -> None:
    assert create("hadamard", n, epsilon).shape == (outputs, n)


def test_hadamard_response_in_one_block() -> None:
    """e^ε = 2 has one block of 4 outputs for 3 cells: columns 1 to 3 of the Hadamard matrix of order 4."""
    favoured = create("hadamard", 3, math.log(2)).to_dense() * 6
    np.testing.assert_allclose(favoured, [[2, 2, 2], [1, 2, 1], [2, 1, 1], [1, 1, 2]], rtol=1e-12)


def test_hadamard_response_in_two_blocks() -> None:
    """e^ε = 4 has two blocks, of 2 outputs for one cell each."""
    favoured = create("hadamard", 2, math.log(4)).to_dense() * 7
    np.testing.assert_allclose(favoured, [[4, 1], [1, 1], [1, 4], [1, 1]], rtol=1e-12)


@pytest.mark.parametrize(
    ("n", "branching", "groups"), [(5, 4, [5, 2]), (17, 4, [17, 5, 2]), (9, 3, [9, 3]), (4, 4, [4])]
)
def test_levels_of_a_hierarchy(n: int, branching: int, groups: list[int]) -> None:
    mechanism = create("hierarchical", n, 1.0, branching=branching, oracle="randomized_response")
    assert mechanism.shape == (sum(groups), n)
    rows = np.split(mechanism.to_dense(), np.cumsum(groups)[:-1])
    for level, block in enumerate(rows):
        width = branching**level
        expected = create("randomized_response", groups[level], 1.0).to_dense()[:, np.arange(n) // width]
        np.testing.assert_allclose(block, expected / len(groups), rtol=1e-12)


def test_level_weights_are_probabilities_up_to_a_factor() -> None:
    uniform = create("hierarchical", 20, 1.0).to_dense()
    np.testing.assert_allclose(create("hierarchical", 20, 1.0, weights=[7, 7, 7]).to_dense(), uniform)
    finest = create("hierarchical", 20, 1.0, weights=[1, 0, 0]).to_dense()
    np.testing.assert_allclose(finest, create("hadamard", 20, 1.0).to_dense())


def test_weight_moves_accuracy_between_levels() -> None:
    coarse = workloads.from_matrix(np.repeat(np.eye(4), 4, axis=1))
    variances = [
        analyze(coarse, create("hierarchical", 16, 1.0, weights=[1, weight])).worst_case for weight in (1, 3, 9)
    ]
    assert variances == sorted(variances, reverse=True)


@pytest.mark.parametrize(("name", "weights"), [("hierarchical", [0, 1]), ("haar", [0, 1, 1, 1])])
def test_level_that_nobody_answers_leaves_cells_unknown(name: str, weights: list[int]) -> None:
    with pytest.raises(QueryNotAnswerable, match=r"query \d+ \(cell"):
        analyze(workloads.histogram(16), create(name, 16, 1.0, weights=weights))


@pytest.mark.parametrize("name", ["hierarchical", "haar"])
@pytest.mark.parametrize("weights", [[1], [0] * 5, [1, -1, 1, 1, 1], "even", [math.nan] * 5])
def test_weights_that_are_none(name: str, weights: object) -> None:
    with pytest.raises(InvalidInput, match="weights"):
        create(name, 32, 1.0, weights=weights, **({"branching": 2} if name == "hierarchical" else {}))


@pytest.mark.parametrize("branching", [1, 0, 2.0, "4"])
def test_branching_is_a_whole_number_from_two(branching: object) -> None:
    with pytest.raises(InvalidInput, match=r"branching is .*; expected a whole number of at least 2"):
        create("hierarchical", 20, 1.0, branching=branching)


@pytest.mark.parametrize(
    ("oracle", "message"),
    [("rappor", "listed for 64 groups"), ("block_design", "exists for 4 groups"), ("nothing", "mechanism's name")],
)
def test_oracle_must_be_a_strategy(oracle: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        create("hierarchical", 64, 1.0, oracle=oracle)


def test_haar_on_four_cells() -> None:
    """Half of the people answer for a pair, times a character of the two pairs; half for the halves."""
    rows = [[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]]
    chances = np.array([[[1 / 16, 3 / 16], [1 / 8, 3 / 8]][i // 4] for i in range(6)])
    expected = np.take_along_axis(chances, np.array(rows), axis=1)
    np.testing.assert_allclose(create("haar", 4, THREE).to_dense(), expected, rtol=1e-12)


def test_haar_of_an_incomplete_tree_is_its_beginning() -> None:
    np.testing.assert_array_equal(create("haar", 11, 1.0).to_dense(), create("haar", 16, 1.0).to_dense()[:, :11])


def test_fourier_on_two_cells() -> None:
    """The constant and the parity, each reported by a coin that is right three times in four."""
    expected = np.array([[3, 3], [3, 1], [1, 1], [1, 3]]) / 8
    np.testing.assert_allclose(create("fourier", 2, THREE).to_dense(), expected, rtol=1e-12)
    without = create("fourier", 2, THREE, constant=False).to_dense()
    np.testing.assert_allclose(without, create("randomized_response", 2, THREE).to_dense(), rtol=1e-12)


def test_fourier_leaves_out_characters_that_a_workload_does_not_need() -> None:
    placed = workloads.stack([workloads.parity(4, 1), workloads.k_way_marginals([2, 2, 2, 2], 2)], weights=[1, 1e-3])
    assert create("fourier", 16, 1.0, workload=placed).shape == (22, 16)
    assert create("fourier", 16, 1.0, workload=workloads.prefix(16)).shape == (32, 16)
    assert create("fourier", 12, 1.0, workload=workloads.histogram(12)).shape == (32, 12)
    assert create("fourier", 16, 1.0, degree=1, workload=placed).shape == (10, 16)
    with pytest.raises(InvalidInput, match="over 12 cells; expected a workload over n = 16 cells"):
        create("fourier", 16, 1.0, workload=workloads.histogram(12))


@pytest.mark.parametrize(("degree", "outputs"), [(0, 2), (1, 14), (2, 44), (3, 84), (6, 128), (9, 128), (None, 128)])
def test_characters_up_to_a_degree(degree: int | None, outputs: int) -> None:
    assert create("fourier", 64, 1.0, degree=degree).shape == (outputs, 64)
    assert create("fourier", 33, 1.0, degree=degree).shape == (outputs, 33)


def test_leaving_out_the_constant_pays() -> None:
    parities = workloads.parity(4, 2)
    published, spared = (
        analyze(parities, create("fourier", 16, 1.0, degree=2, constant=constant)).worst_case
        for constant in (True, False)
    )
    assert spared < published


def test_marginals_need_no_more_characters_than_attributes() -> None:
    low = create("fourier", 16, 1.0, degree=1)
    analyze(workloads.k_way_marginals([2] * 4, 1), low)
    with pytest.raises(QueryNotAnswerable):
        analyze(workloads.k_way_marginals([2] * 4, 2), low)


@pytest.mark.parametrize("degree", [-1, 1.5, "all"])
def test_degree_is_a_whole_number(degree: object) -> None:
    with pytest.raises(InvalidInput, match=r"degree is .*; expected a whole number"):
        create("fourier", 8, 1.0, degree=degree)


@pytest.mark.parametrize(("n", "options"), [(1, {}), (8, {"degree": 0})])
def test_some_character_must_be_left(n: int, options: dict[str, int]) -> None:
    with pytest.raises(InvalidInput, match="constant is False; expected True"):
        create("fourier", n, 1.0, constant=False, **options)
