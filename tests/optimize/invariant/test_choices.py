"""Choices of slots: all that queries combine, few cells otherwise, and no search without end."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from slow_invariant import TABLES, orbits

import lowkey as lk
from lowkey.optimize.invariant import choices as module
from lowkey.optimize.invariant.choices import choices_of


@pytest.mark.parametrize("name", TABLES)
def test_they_are_all_that_exist_with_few_cells(name: str) -> None:
    found = orbits(TABLES[name], labels_alike=True)
    expected = {found.slots_of(kind) for kind in found.types}
    for count in range(1, 10):
        for classes in itertools.combinations_with_replacement(range(len(found.classes)), count):
            exists = all(classes.count(one) <= len(found.classes[one]) for one in classes)
            if exists and math.prod(found.sizes[one] for one in classes) <= module.MOST_CELLS:
                expected.add(classes)
    chosen = [slots.classes for slots in choices_of(found, np.random.default_rng(0))]
    assert len(chosen) == len(set(chosen))
    assert set(chosen) == expected


def test_those_that_queries_combine_come_first_and_the_others_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHOICES", 5)
    found = orbits(TABLES["stacked"], labels_alike=True)
    wanted = sorted(found.slots_of(kind) for kind in found.types)
    chosen = [slots.classes for slots in choices_of(found, np.random.default_rng(0))]
    assert chosen[: len(wanted)] == wanted
    assert len(chosen) <= len(wanted) + 5


def test_attributes_that_no_query_looks_at_are_left_out() -> None:
    found = orbits(lk.workloads.k_way_marginals([2] * 3, 2), labels_alike=True)
    alone = type(found)(found.interactions, ((0, 1), (2,)), labels_alike=True)
    unseen = type(found)(type(found.interactions)((2, 2, 2), {(0, 1): 1.0}), ((0, 1), (2,)), labels_alike=True)
    assert any(1 in slots.classes for slots in choices_of(alone, np.random.default_rng(0)))
    assert all(slots.classes in {(0,), (0, 0)} for slots in choices_of(unseen, np.random.default_rng(0)))


def test_many_large_attributes_of_different_sizes_take_no_time() -> None:
    found = orbits(lk.workloads.k_way_marginals([20 + i for i in range(40)], 1), labels_alike=True)
    started = time.perf_counter()
    assert len(choices_of(found, np.random.default_rng(0))) == 40 + 9  # 20·21 … 20·25, 21·22 … 21·24, 22·23
    assert time.perf_counter() - started < 5
