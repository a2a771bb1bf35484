"""Domains of which no vector is made: what still works, and what is refused with advice."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from lowkey import workloads
from lowkey.errors import InvalidInput, TooLarge
from lowkey.schema import Categorical, Schema
from lowkey.workloads import Workload, workload_from_document

QUESTIONS = Schema([Categorical(f"q{i}", ["no", "yes"]) for i in range(100)])
FACTS = Schema([Categorical(f"fact{i}", range(10)) for i in range(15)])
HUGE = [
    workloads.k_way_marginals([2] * 100, 3),
    workloads.parity(100, 3),
    workloads.k_way_marginals([2] * 100, 2).on(QUESTIONS, *QUESTIONS.names),
    workloads.all_marginals([2, 2, 2]).on(QUESTIONS, "q99", "q3", "q50"),
    workloads.prefix(10).on(FACTS, "fact3"),
    workloads.renamed(workloads.histogram(10**15).on(FACTS, *FACTS.names), "everything"),
    workloads.stack([workloads.histogram(10).on(FACTS, name) for name in FACTS.names], [1.5] * 15),
    workloads.product([workloads.parity(40, 1), workloads.parity(40, 2)]),
]
every_huge = pytest.mark.parametrize("workload", HUGE, ids=lambda workload: repr(workload)[:60])


@every_huge
def test_it_is_described_and_documented(workload: Workload) -> None:
    p, n = workload.shape
    assert n >= 10**15
    assert "cells>" in repr(workload)
    assert len(workload.labels) == p
    assert workload.labels[0]
    assert workload.labels[p - 1]
    document = json.loads(json.dumps(workload.document()))
    again = workload_from_document(document)
    assert again.shape == workload.shape
    assert again.tables() == workload.tables()
    assert again.labels[p - 1] == workload.labels[p - 1]
    assert sum(family.stop - family.start for family in workload.families) == p


OPERATIONS: list[Callable[[Workload], object]] = [
    lambda workload: workload.matvec([1.0]),
    lambda workload: workload.rmatvec([1.0]),
    lambda workload: workload.gram_matvec([1.0]),
    lambda workload: workload.gram(),
    lambda workload: workload.gram_diagonal(),
    lambda workload: workload.gram_row_sums(),
    lambda workload: workload.rows(0, 1),
    lambda workload: next(workload.blocks()),
    lambda workload: workload.to_dense(),
    lambda workload: workload.variances([[1.0]]),
]


@every_huge
@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_needs_a_vector_over_the_domain_is_refused(
    workload: Workload, operation: Callable[[Workload], object]
) -> None:
    with pytest.raises(TooLarge, match=r"vector over the domain .* is about 10\^\d+ cells long; .*tables\(\)"):
        operation(workload)


def test_labels_speak_of_attributes_far_away() -> None:
    workload = workloads.k_way_marginals([2] * 100, 2).on(QUESTIONS, *QUESTIONS.names)
    assert workload.labels[-1] == "q98 = yes and q99 = yes"
    assert workloads.histogram(10**15).on(FACTS, *FACTS.names).labels[7].endswith("fact13 = 0 and fact14 = 7")


def test_names_of_many_attributes_are_cut() -> None:
    workload = workloads.parity(100, 1).on(QUESTIONS, *QUESTIONS.names)
    assert workload.name == "parities of up to 1 attributes on q0, q1, …, q99 (100 attributes)"


def test_tables_name_the_attributes_in_the_order_named() -> None:
    tables = workloads.k_way_marginals([2, 2], 2).on(QUESTIONS, "q99", "q3").tables()
    assert tables is not None
    assert [table.attributes for table in tables] == [(99, 3)]
    interactions = workloads.histogram(4).on(QUESTIONS, "q99", "q3").interactions
    assert interactions is not None
    assert interactions.weights == {(3,): 0.25, (99,): 0.25, (3, 99): 0.25}


def test_a_workload_for_other_attributes_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"over about 10\^30 cells; expected one over the 4 cells"):
        workloads.parity(100, 1).on(QUESTIONS, "q1", "q2")
    with pytest.raises(InvalidInput, match=r"\[about 10\^12, about 10\^15\]; expected the same"):
        workloads.stack([workloads.histogram(10**12), workloads.histogram(10**15)])


def test_queries_are_still_numbered() -> None:
    with pytest.raises(TooLarge, match=r"about 10\^30 queries"):
        workloads.histogram(2**100)
