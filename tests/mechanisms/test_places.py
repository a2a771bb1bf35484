"""Cells read by attributes of other sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lowkey.errors import TooLarge
from lowkey.mechanisms.places import cells_of, places_of, read_as


@pytest.mark.parametrize(
    ("sizes", "other"),
    [
        ((2, 3, 2), (6, 2)),
        ((6, 2), (2, 3, 2)),
        ((12,), (2, 3, 2)),
        ((2, 3, 2), (12,)),
        ((4, 3), (3, 4)),
        ((2, 1, 3), (6,)),
        ((6,), (1, 2, 3, 1)),
    ],
)
def test_reading_as_other_attributes_keeps_the_cell(sizes: tuple[int, ...], other: tuple[int, ...]) -> None:
    cells = np.arange(math.prod(sizes))
    np.testing.assert_array_equal(cells_of(read_as(places_of(cells, sizes), sizes, other), other), cells)


def test_a_domain_without_numbers_is_read_part_by_part() -> None:
    places = np.random.default_rng(0).integers(2, size=(5, 100))
    fours = read_as(places, (2,) * 100, (4,) * 50)
    np.testing.assert_array_equal(fours, 2 * places[:, ::2] + places[:, 1::2])
    with pytest.raises(TooLarge, match=r"about 10\^30 cells in one; expected at most 2\^62"):
        read_as(places, (2,) * 100, (2**100,))
