"""Workloads on the attributes of a schema."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from workload_cases import SCHEMA, placed_matrix, placements

from lowkey import workloads
from lowkey.errors import InvalidInput
from lowkey.schema import Schema
from lowkey.workloads import Workload
from lowkey.workloads.placement import place


@given(placements())
def test_a_placed_workload_sums_over_the_other_attributes(drawn: tuple[Workload, Schema, list[str]]) -> None:
    workload, schema, names = drawn
    placed = place(workload, schema, names)
    dense = placed_matrix(workload.to_dense(), schema, names)
    x = np.random.default_rng(0).normal(size=(schema.size, 2))
    v = np.random.default_rng(1).normal(size=(dense.shape[0], 2))
    np.testing.assert_array_equal(placed.to_dense(), dense)
    np.testing.assert_allclose(placed.matvec(x), dense @ x, atol=1e-9)
    np.testing.assert_allclose(placed.rmatvec(v), dense.T @ v, atol=1e-9)
    np.testing.assert_allclose(placed.gram(), dense.T @ dense, atol=1e-9)


def test_answers_count_the_records() -> None:
    people = [("free", 10, "one", True), ("pro", 30, "one", True), ("pro", 70, "one", False)]
    counts = SCHEMA.counts(people)
    assert workloads.prefix(3).on(SCHEMA, "age").matvec(counts).tolist() == [1, 2, 3]
    crossed = workloads.histogram(4).on(SCHEMA, "member", "plan")
    answers = dict(zip(crossed.labels, crossed.matvec(counts), strict=True))
    assert answers == {
        "member = False and plan = free": 0,
        "member = False and plan = pro": 1,
        "member = True and plan = free": 1,
        "member = True and plan = pro": 1,
    }


@pytest.mark.parametrize(
    ("workload", "attributes", "labels"),
    [
        (workloads.prefix(3), ["age"], ["age < 18", "age < 65", "everyone"]),
        (
            workloads.all_range(3),
            ["age"],
            ["age < 18", "age < 65", "everyone", "age in [18, 65)", "age >= 18", "age >= 65"],
        ),
        (workloads.histogram(3), ["age"], ["age in [0, 18)", "age in [18, 65)", "age in [65, 120)"]),
        (workloads.histogram(2), ["plan"], ["plan = free", "plan = pro"]),
        (workloads.prefix(2), ["plan"], ["plan = free", "everyone"]),
        (
            workloads.prefix(4),
            ["plan", "member"],
            [
                "plan = free and member = False",
                "from (plan = free and member = False) to (plan = free and member = True)",
                "from (plan = free and member = False) to (plan = pro and member = False)",
                "everyone",
            ],
        ),
        (
            workloads.all_marginals([2, 2]),
            ["plan", "member"],
            [
                "everyone",
                "plan = free",
                "plan = pro",
                "member = False",
                "member = True",
                "plan = free and member = False",
                "plan = free and member = True",
                "plan = pro and member = False",
                "plan = pro and member = True",
            ],
        ),
        (
            workloads.parity(2, 2),
            ["member", "plan"],
            ["everyone", "parity of member", "parity of plan", "parity of member, plan"],
        ),
        (
            workloads.product([workloads.prefix(3), workloads.histogram(2)]),
            ["age", "plan"],
            [
                "age < 18 and plan = free",
                "age < 18 and plan = pro",
                "age < 65 and plan = free",
                "age < 65 and plan = pro",
                "plan = free",
                "plan = pro",
            ],
        ),
        (
            workloads.product([workloads.histogram(4), workloads.prefix(1)]),
            ["plan", "member", "only"],
            [
                "plan = free and member = False",
                "plan = free and member = True",
                "plan = pro and member = False",
                "plan = pro and member = True",
            ],
        ),
        (workloads.k_way_marginals([2, 3], 1), ["plan", "only", "age"], None),
        (workloads.stack([workloads.prefix(3)]), ["age"], ["age < 18", "age < 65", "everyone"]),
        (workloads.from_matrix(np.eye(2), ["yes", "no"]), ["member"], ["yes", "no"]),
    ],
    ids=str,
)
def test_labels_speak_of_the_attributes(workload: Workload, attributes: list[str], labels: list[str] | None) -> None:
    by_hand = ["plan = free", "plan = pro"] + [f"only = one and age in {bin}" for bin in SCHEMA["age"].labels]
    assert list(workload.on(SCHEMA, *attributes).labels) == (labels or by_hand)


def test_a_marginal_that_does_not_fit_the_attributes_keeps_its_own_words() -> None:
    labels = workloads.k_way_marginals([3, 2], 1).on(SCHEMA, "plan", "age").labels
    assert labels[0] == "attribute 0 = 0"


def test_names_and_families_say_the_attributes() -> None:
    inner = workloads.stack([workloads.prefix(3), workloads.histogram(3)], weights=[2, 1])
    placed = inner.on(SCHEMA, "age")
    assert placed.name == "prefix + histogram on age"
    families = [(family.name, family.weight) for family in placed.families]
    assert families == [("prefix on age", 2.0), ("histogram on age", 1.0)]
    assert workloads.histogram(6).on(SCHEMA, "age", "plan").name == "histogram on age, plan"


def test_unknown_attributes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="'height'; expected one of plan, age, only, member"):
        workloads.prefix(3).on(SCHEMA, "height")


def test_a_workload_of_another_size_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'prefix' is over 4 cells; expected one over the 3 cells of age"):
        workloads.prefix(4).on(SCHEMA, "age")
    with pytest.raises(InvalidInput, match=r"the 6 cells \(2 × 3\) of plan, age"):
        workloads.prefix(4).on(SCHEMA, "plan", "age")


def test_no_attribute_or_the_same_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one of plan, age"):
        workloads.prefix(3).on(SCHEMA)
    with pytest.raises(InvalidInput, match="each attribute once"):
        workloads.prefix(9).on(SCHEMA, "age", "age")
    with pytest.raises(InvalidInput, match="the attributes"):
        place(workloads.prefix(3), SCHEMA, "age")


def test_what_is_no_schema_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected a Schema"):
        place(workloads.prefix(3), "age", ["age"])  # type: ignore[arg-type]


def test_queries_written_for_a_part_of_a_schema_survive_their_document() -> None:
    part = Schema([SCHEMA["age"], SCHEMA["plan"]])
    written = workloads.sql(part, ["age >= 18 AND plan = 'pro'"])
    placed = workloads.stack([written, workloads.prefix(3).on(part, "age")]).on(SCHEMA, "age", "plan")
    again = workloads.workload_from_document(placed.document())
    np.testing.assert_array_equal(again.to_dense(), placed.to_dense())
    assert list(again.labels) == ["age >= 18 AND plan = 'pro'", "age < 18", "age < 65", "everyone"]


def test_queries_written_for_attributes_in_another_order_are_refused() -> None:
    written = workloads.sql(Schema([SCHEMA["age"], SCHEMA["plan"]]), ["age >= 18 AND plan = 'pro'"])
    with pytest.raises(InvalidInput, match=r"'sql' was written for .*in this order"):
        workloads.renamed(written, "sql").on(SCHEMA, "plan", "age")
