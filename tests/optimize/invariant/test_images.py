"""Images: outputs counted before they are listed."""

from __future__ import annotations

import numpy as np
import pytest
from slow_invariant import random_patterns, slots_of

import lowkey as lk
from lowkey.mechanisms.junta import Junta, JuntaMechanism
from lowkey.optimize.invariant import images
from lowkey.optimize.invariant.images import listed_outputs
from lowkey.optimize.invariant.slots import Slots

BINARY = lk.workloads.k_way_marginals([2] * 4, 2)
TWO_CLASSES = lk.workloads.k_way_marginals([2, 2, 2, 3], 2)
CASES = {
    "a pool of four": slots_of(BINARY, True, 0, 0, 0),
    "two pools": slots_of(TWO_CLASSES, True, 0, 0, 1),
}


def listed(slots: Slots, pattern: np.ndarray) -> int:
    members = slots.orbits.classes
    pools = [members[number] for number in slots.classes]
    junta = Junta(pattern.reshape(slots.shape), pools, 1.0)
    rows = JuntaMechanism(slots.orbits.interactions.sizes, [junta], 1.0).to_dense()
    return len(np.unique((rows > rows.min()).astype(int), axis=0))


@pytest.mark.parametrize("slots", CASES.values(), ids=CASES.keys())
def test_it_is_the_number_of_distinct_rows(slots: Slots) -> None:
    """For patterns that depend on all their slots: others may be listed on fewer attributes, more than once."""
    for pattern in random_patterns(slots, 12):
        table = pattern.reshape(slots.shape)
        axes = range(table.ndim)
        if all((table != np.take(table, [0], axis)).any() for axis in axes):
            assert listed_outputs(slots, pattern) == listed(slots, pattern)
        else:
            assert listed_outputs(slots, pattern) >= listed(slots, pattern)


@pytest.mark.parametrize("slots", CASES.values(), ids=CASES.keys())
def test_where_nothing_is_counted_it_is_the_number_of_reports(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_CELLS", 0)
    for pattern in random_patterns(slots, 12):
        assert listed(slots, pattern) <= listed_outputs(slots, pattern) <= slots.outputs
