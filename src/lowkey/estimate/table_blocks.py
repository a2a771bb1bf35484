"""Tables of a workload that have one shape, together; and where their answers belong."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.places import Numbers
from lowkey.workloads.interactions import Table


@dataclass(frozen=True)
class TableBlock:
    """Tables over the attributes (count, q), ascending and of more than one value, of one type.

    `order`: their cells are numbered with the axes in this order, which is the one that the tables name them in.
    """

    attributes: Numbers
    order: tuple[int, ...]
    starts: Numbers
    weights: Vector
    is_parity: bool

    def put(self, values: Matrix, scale: Vector, queries: Vector) -> None:
        """Write values (count, axes…), times scale (count,), to the places of the queries."""
        ordered = values.transpose(0, *(1 + axis for axis in self.order)).reshape(len(values), -1)
        queries[self.starts[:, None] + np.arange(ordered.shape[1])] = scale[:, None] * ordered

    def take(self, queries: Vector, shape: Sequence[int]) -> Matrix:
        """What `put` writes there: values (count, axes…), with the weights as they are."""
        named = [shape[axis] for axis in self.order]
        cells = self.starts[:, None] + np.arange(math.prod(named))
        values: Matrix = queries[cells].reshape(-1, *named).transpose(0, *(1 + np.argsort(self.order)))
        return values


def table_blocks(tables: Sequence[Table], sizes: Sequence[int], classes: Sequence[int]) -> list[TableBlock]:
    """All tables, in blocks whose attributes have the same classes."""
    found: defaultdict[tuple[object, ...], list[tuple[tuple[int, ...], Table]]] = defaultdict(list)
    for table in tables:
        varying = [attribute for attribute in table.attributes if sizes[attribute] > 1]
        attributes = tuple(sorted(varying))
        order = tuple(attributes.index(attribute) for attribute in varying)
        found[table.is_parity, order, tuple(classes[a] for a in attributes)].append((attributes, table))
    return [_block(members, order, is_parity) for (is_parity, order, _), members in found.items()]  # type: ignore[arg-type]


def _block(members: list[tuple[tuple[int, ...], Table]], order: tuple[int, ...], is_parity: bool) -> TableBlock:
    attributes = np.array([attributes for attributes, _ in members], dtype=np.int64).reshape(len(members), len(order))
    starts = np.array([table.start for _, table in members], dtype=np.int64)
    weights = np.array([table.weight for _, table in members], dtype=np.float64)
    return TableBlock(attributes, order, starts, weights, is_parity)
