"""Block designs and projective geometry: the combinatorics hold, the choice among them is the best."""

import math

import numpy as np
import pytest

from lowkey import workloads
from lowkey.analysis.variance import analyze
from lowkey.errors import InvalidInput, NotAvailable
from lowkey.mechanisms import available, create
from lowkey.mechanisms.block_design import Design, symmetric_designs
from lowkey.mechanisms.finite_geometry import is_prime, points, primes, space_size
from lowkey.mechanisms.projective_geometry import _best_order

SIZES = [v for v in range(1, 145) if symmetric_designs(v)]


def test_sizes_up_to_64() -> None:
    known = [7, 11, 13, 15, 16, 19, 23, 31, 35, 40, 43, 47, 57, 59, 63, 64]
    assert [v for v in SIZES if v <= 64] == known


def test_block_sizes_of_some_domains() -> None:
    sizes = {v: [design.k for design in symmetric_designs(v)] for v in (7, 13, 15, 16, 31, 35, 143)}
    assert sizes == {
        7: [3, 4],
        13: [4, 9],
        15: [7, 8],
        16: [6, 10],
        31: [6, 15, 16, 25],
        35: [17, 18],
        143: [71, 72],
    }


@pytest.mark.parametrize(
    "design", [d for v in [*SIZES, 256] for d in symmetric_designs(v)], ids=lambda design: f"v={design.v}, k={design.k}"
)
def test_any_two_cells_and_any_two_blocks_meet_equally_often(design: Design) -> None:
    incidence = design.incidence().astype(np.int64)
    together, remainder = divmod(design.k * (design.k - 1), design.v - 1)
    expected = (design.k - together) * np.eye(design.v, dtype=np.int64) + together
    assert remainder == 0
    assert incidence.shape == (design.v, design.v)
    np.testing.assert_array_equal(incidence @ incidence.T, expected)
    np.testing.assert_array_equal(incidence.T @ incidence, expected)


def test_fano_plane() -> None:
    """Seven lines of three points: three through each point, one through each two. Variance by hand at e^ε = 3."""
    mechanism = create("block_design", 7, math.log(3))
    lines = mechanism.to_dense() * 13
    assert sorted(np.unique(np.round(lines, 12))) == [1, 3]
    assert (lines > 2).sum(axis=1).tolist() == [3] * 7
    assert analyze(workloads.histogram(7), mechanism).worst_case == pytest.approx(17.25, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_best_block_size_is_chosen(epsilon: float) -> None:
    histogram = workloads.histogram(31)
    by_size = [analyze(histogram, create("block_design", 31, epsilon, k=k)).worst_case for k in (6, 15, 16, 25)]
    chosen = analyze(histogram, create("block_design", 31, epsilon)).worst_case
    assert chosen == pytest.approx(min(by_size), rel=1e-12)


@pytest.mark.parametrize(("n", "k"), [(11, 5), (16, 6), (31, 6)])
def test_design_equals_subset_selection_on_a_histogram(n: int, k: int) -> None:
    histogram = workloads.histogram(n)
    design = analyze(histogram, create("block_design", n, 1.3, k=k))
    subsets = analyze(histogram, create("subset_selection", n, 1.3, d=k, explicit=False))
    np.testing.assert_allclose(design.per_type, subsets.per_type, rtol=1e-10)


@pytest.mark.parametrize(
    ("n", "message"),
    [(1, "such as 7[.]"), (8, "such as 11 or 7[.]"), (62, "such as 63 or 59[.]"), (100, "such as 103 or 83[.]")],
)
def test_missing_design_names_the_nearest_sizes(n: int, message: str) -> None:
    assert "block_design" not in available(n, 1.0)
    with pytest.raises(NotAvailable, match=message):
        create("block_design", n, 1.0)


def test_missing_block_size_names_those_there_are() -> None:
    with pytest.raises(NotAvailable, match=r"k is 5; expected a block size .* on 31 cells: 6, 15, 16, 25"):
        create("block_design", 31, 1.0, k=5)


def test_primes() -> None:
    assert [number for number in range(30) if is_prime(number)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    assert list(primes(14)) == [2, 3, 5, 7, 11, 13, 17]
    assert list(primes(0)) == [2]


@pytest.mark.parametrize(("q", "t", "size"), [(2, 2, 3), (2, 3, 7), (3, 3, 13), (5, 2, 6), (2, 5, 31), (7, 3, 57)])
def test_points_of_a_projective_space(q: int, t: int, size: int) -> None:
    """All vectors but zero, up to a factor: each is a multiple of exactly one point."""
    space = points(q, t).astype(int)
    multiples = {tuple(factor * point % q) for point in space for factor in range(1, q)}
    assert space_size(q, t) == len(space) == size
    assert len(multiples) == q**t - 1


def test_projective_geometry_on_seven_cells_is_the_fano_plane() -> None:
    variances = [
        analyze(workloads.prefix(7), create(name, 7, 1.0, **options)).average
        for name, options in (("projective_geometry", {"q": 2}), ("block_design", {"k": 3}))
    ]
    assert variances[0] == pytest.approx(variances[1], rel=1e-2)
    assert create("projective_geometry", 7, 1.0, q=2).shape == (7, 7)


def test_part_of_a_projective_space() -> None:
    """40 points in 3 dimensions over 3 elements, 20 of them cells; 13 hyperplanes through each, 4 through two."""
    mechanism = create("projective_geometry", 20, math.log(2), q=3)
    favoured = (mechanism.to_dense() > mechanism.to_dense().min()).astype(int)
    assert mechanism.shape == (40, 20)
    np.testing.assert_array_equal(favoured.T @ favoured, 9 * np.eye(20) + 4)


@pytest.mark.parametrize(("epsilon", "q"), [(2.0, 7), (12.0, 59)])
def test_field_of_a_full_plane_and_of_a_line(epsilon: float, q: int) -> None:
    """57 cells: all of the plane over e² ≈ 7 elements; on a line of 60 points where e^ε is beyond the domain."""
    assert _best_order(57, epsilon) == q


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_best_field_of_all(epsilon: float) -> None:
    histogram = workloads.histogram(13)
    by_field = [
        analyze(histogram, create("projective_geometry", 13, epsilon, q=q)).worst_case for q in (2, 3, 5, 7, 11, 13)
    ]
    chosen = analyze(histogram, create("projective_geometry", 13, epsilon)).worst_case
    assert chosen == pytest.approx(min(by_field), rel=1e-12)


@pytest.mark.parametrize("q", [4, 1, 9, 2.0])
def test_field_must_have_prime_order(q: object) -> None:
    with pytest.raises(InvalidInput, match=r"q is .*; expected a"):
        create("projective_geometry", 10, 1.0, q=q)
