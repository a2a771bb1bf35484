"""Queries that a mechanism leaves undetermined are refused by number and name, whatever their weight."""

import numpy as np
import pytest

from lowkey.errors import QueryNotAnswerable
from lowkey.workloads import from_matrix, histogram, stack
from lowkey.workloads.row_space import refuse_unanswerable

UNSEEN = np.array([[1.0], [-1.0], [0.0]]) / np.sqrt(2)  # the first two cells look alike


def test_unions_of_what_is_told_apart_pass() -> None:
    refuse_unanswerable(from_matrix([[1, 1, 0], [0, 0, 3], [0, 0, 0]]), UNSEEN)
    refuse_unanswerable(histogram(3), np.zeros((3, 0)))


def test_the_first_undetermined_query_is_named() -> None:
    with pytest.raises(QueryNotAnswerable, match=r"determines query 1 \(cell 1\)"):
        refuse_unanswerable(stack([from_matrix([[1, 1, 0]]), from_matrix([[0, 1, 0]], labels=["cell 1"])]), UNSEEN)


@pytest.mark.parametrize("weight", [1e-9, 1.0, 1e9])
def test_a_query_of_any_weight_is_noticed(weight: float) -> None:
    with pytest.raises(QueryNotAnswerable, match="query 2"):
        refuse_unanswerable(stack([from_matrix([[1, 1, 0], [0, 0, 1]]), histogram(3)], weights=[1, weight]), UNSEEN)
