"""The variance of types, where it depends on the value of one attribute alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lowkey.checks import Vector
from lowkey.errors import TooLarge, format_size
from lowkey.workloads.base import DENSE_LIMIT


@dataclass(frozen=True, eq=False)
class ByValue:
    """`values`: a number for each value of attribute number `attribute`; `sizes` are those of all attributes."""

    values: Vector
    attribute: int
    sizes: tuple[int, ...]

    @property
    def largest(self) -> float:
        return float(self.values.max())

    @property
    def mean(self) -> float:
        """Over all types alike."""
        return float(self.values.mean())

    @property
    def per_type(self) -> Vector:
        """Listed for all types, refused where there are too many."""
        types = math.prod(self.sizes)
        if types > DENSE_LIMIT:
            advice = "Use worst_case or average."
            raise TooLarge("the variance by type", f"{format_size(types)} numbers", f"at most {DENSE_LIMIT:,}", advice)
        shape = [size if place == self.attribute else 1 for place, size in enumerate(self.sizes)]
        return np.broadcast_to(self.values.reshape(shape), self.sizes).reshape(-1)
