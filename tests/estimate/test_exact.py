"""The exact answers of people given one by one are those of the data vector."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lowkey as lk
from lowkey.errors import InvalidInput, NotAvailable
from lowkey.estimate import exact_answers
from lowkey.workloads import Workload

SCHEMA = lk.Schema([lk.Categorical("a", [0, 1]), lk.Categorical("b", [0, 1, 2]), lk.Categorical("c", [0, 1])])
SIZES = SCHEMA.sizes


@pytest.mark.parametrize(
    "workload",
    [
        lk.workloads.all_marginals(SIZES),
        lk.workloads.stack([lk.workloads.k_way_marginals(SIZES, 2), lk.workloads.all_marginals(SIZES)], [0.5, 3]),
        lk.workloads.k_way_marginals([3, 2], 2).on(SCHEMA, "b", "a"),
        lk.workloads.parity(2, 2).on(SCHEMA, "c", "a"),
        lk.workloads.parity(8, 3),
        lk.workloads.prefix(4),
        lk.workloads.product([lk.workloads.prefix(3), lk.workloads.k_way_marginals([2, 2], 1)]).on(
            SCHEMA, "b", "c", "a"
        ),
        lk.workloads.stack([lk.workloads.histogram(12), lk.workloads.all_range(3).on(SCHEMA, "b")], [2, 0.5]),
    ],
    ids=lambda workload: workload.name,
)
@pytest.mark.parametrize("people", [0, 1, 64, 1000])
def test_exact_answers_are_those_of_the_data_vector(workload: Workload, people: int) -> None:
    rng = np.random.default_rng(people)
    places = np.stack([rng.integers(size, size=people) for size in workload.sizes], axis=1)
    cells = np.ravel_multi_index(tuple(places.T), workload.sizes)
    x = np.bincount(cells, minlength=math.prod(workload.sizes))
    np.testing.assert_allclose(exact_answers(workload, places), workload.matvec(x), rtol=1e-13)


def test_queries_that_are_no_tables_are_refused() -> None:
    both = lk.workloads.product([lk.workloads.prefix(4), lk.workloads.prefix(2)])
    with pytest.raises(NotAvailable, match="exact answers is asked for prefix × prefix"):
        exact_answers(both, [[0, 0]])


def test_places_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidInput, match="out of range in column 1"):
        exact_answers(lk.workloads.all_marginals(SIZES), [[0, 3, 0]])
