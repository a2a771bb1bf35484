"""Stacks, products and new names."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from workload_cases import leaves, product_matrix, stacks

from lowkey import workloads
from lowkey.errors import InvalidInput, TooLarge
from lowkey.workloads import Workload


@given(st.integers(1, 5).flatmap(stacks), st.integers(0, 2**32 - 1))
def test_a_stack_is_the_weighted_matrices_one_below_the_other(
    drawn: tuple[list[Workload], list[float]], seed: int
) -> None:
    parts, weights = drawn
    stacked = workloads.stack(parts, weights)
    dense = np.vstack([weight * part.to_dense() for weight, part in zip(weights, parts, strict=True)])
    x = np.random.default_rng(seed).normal(size=dense.shape[1])
    np.testing.assert_array_equal(stacked.to_dense(), dense)
    np.testing.assert_allclose(stacked.gram(), dense.T @ dense, atol=1e-9)
    np.testing.assert_allclose(stacked.gram_matvec(x), dense.T @ (dense @ x), atol=1e-9)
    np.testing.assert_allclose(stacked.matvec(x), dense @ x, atol=1e-9)


@given(st.integers(1, 5).flatmap(stacks))
def test_families_of_nested_stacks_are_the_innermost_parts(drawn: tuple[list[Workload], list[float]]) -> None:
    stacked = workloads.stack(*drawn)
    dense = stacked.to_dense()
    for family in stacked.families:
        assert not isinstance(family.workload, type(stacked))
        rows = family.weight * family.workload.to_dense()
        np.testing.assert_allclose(dense[family.start : family.stop], rows)
    assert sum(family.workload.shape[0] for family in stacked.families) == dense.shape[0]


@given(st.lists(st.integers(1, 4).flatmap(leaves), min_size=1, max_size=3), st.integers(0, 2**32 - 1))
def test_a_product_is_the_kronecker_product(parts: list[Workload], seed: int) -> None:
    whole = workloads.product(parts)
    dense = parts[0].to_dense()
    for part in parts[1:]:
        dense = product_matrix(dense, part.to_dense())
    rng = np.random.default_rng(seed)
    x, v = rng.normal(size=(dense.shape[1], 2)), rng.normal(size=(dense.shape[0], 2))
    np.testing.assert_array_equal(whole.to_dense(), dense)
    np.testing.assert_allclose(whole.matvec(x), dense @ x, atol=1e-9)
    np.testing.assert_allclose(whole.rmatvec(v), dense.T @ v, atol=1e-9)
    np.testing.assert_allclose(whole.gram(), dense.T @ dense, atol=1e-9)


def test_nested_weights_multiply() -> None:
    inner = workloads.stack([workloads.prefix(2), workloads.histogram(2)], weights=[2, 3])
    outer = workloads.stack([inner, workloads.parity(1, 1)], weights=[10, 1])
    assert [(f.name, f.weight, f.start, f.stop) for f in outer.families] == [
        ("prefix", 20.0, 0, 2),
        ("histogram", 30.0, 2, 4),
        ("parities of up to 1 attributes", 1.0, 4, 6),
    ]


def test_products_of_half_a_million_by_half_a_million_queries_are_implicit() -> None:
    workload = workloads.product([workloads.all_range(32), workloads.all_range(32), workloads.prefix(4)])
    assert workload.shape == (528 * 528 * 4, 4096)
    x = np.ones(4096)
    np.testing.assert_allclose(workload.gram_matvec(x), workload.rmatvec(workload.matvec(x)))
    assert workload.labels[528 * 528 * 4 - 1] == "attribute 0 = 31 and attribute 1 = 31"


def test_labels_of_products_join_the_parts() -> None:
    workload = workloads.product([workloads.prefix(2), workloads.k_way_marginals([2, 2], 1)])
    assert list(workload.labels)[:3] == [
        "attribute 0 = 0 and attribute 1 = 0",
        "attribute 0 = 0 and attribute 1 = 1",
        "attribute 0 = 0 and attribute 2 = 0",
    ]
    assert workload.labels[4] == "attribute 1 = 0"


def test_names_say_what_is_inside() -> None:
    parts = [workloads.prefix(2), workloads.histogram(2)]
    assert workloads.stack(parts).name == "prefix + histogram"
    assert workloads.product(parts).name == "prefix × histogram"
    assert repr(workloads.product(parts)) == "<Product 'prefix × histogram': 4 queries over 4 cells>"


def test_a_new_name_makes_one_family() -> None:
    inner = workloads.stack([workloads.prefix(2), workloads.histogram(2)])
    named = workloads.renamed(inner, "both")
    assert [(family.name, family.start, family.stop) for family in named.families] == [("both", 0, 4)]
    stacked = workloads.stack([named, workloads.prefix(2)], weights=[2, 1])
    assert [(family.name, family.weight) for family in stacked.families] == [("both", 2.0), ("prefix", 1.0)]


@pytest.mark.parametrize("parts", [[], None, "W", [None], [workloads.prefix(2), 3], workloads.prefix(2)])
def test_what_is_no_list_of_workloads_is_refused(parts: list[Workload]) -> None:
    with pytest.raises(InvalidInput, match="the workloads"):
        workloads.stack(parts)
    with pytest.raises(InvalidInput, match="the workloads"):
        workloads.product(parts)


@pytest.mark.parametrize(
    "weights", [[1], [1, 2, 3], [1, 0], [1, -1], [1, np.nan], [1, np.inf], ["1", 1], [True, 1], 2, "12", []]
)
def test_weights_that_are_not_positive_numbers_are_refused(weights: list[float]) -> None:
    with pytest.raises(InvalidInput, match=r"weights is .*expected a list of 2 positive finite numbers"):
        workloads.stack([workloads.prefix(2), workloads.histogram(2)], weights)


def test_stacking_different_domains_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"cells is \[2, 3\]; expected the same .* W\.on"):
        workloads.stack([workloads.prefix(2), workloads.prefix(3)])


def test_products_beyond_memory_have_no_vectors() -> None:
    product = workloads.product([workloads.prefix(2**16), workloads.prefix(2**16)])
    with pytest.raises(TooLarge, match="4,294,967,296 cells long"):
        product.matvec(1.0)


@pytest.mark.parametrize("name", ["", " ", None, 3])
def test_a_new_name_is_a_text(name: str) -> None:
    with pytest.raises(InvalidInput, match="the name of the workload"):
        workloads.renamed(workloads.prefix(2), name)
