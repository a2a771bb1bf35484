"""Consistent marginals where there are too many cells for `consistent`: tables that agree, instead of cells.

    minimise Σ_T weight_T² ‖p_T − p̂_T‖²  over tables p_T ≥ 0 of which any two agree on the attributes they share,

all with the given total; a parity is one number of the families, from −total to total. This relaxes WNNLS: the tables
of every population agree so, but tables that agree need not all come from one population. Where one table covers all
attributes, it is WNNLS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lowkey.checks import Vector
from lowkey.estimate.table_families import TableFamilies
from lowkey.estimate.table_projection import project
from lowkey.workloads.interactions import Table


@dataclass(frozen=True)
class ConsistentTables:
    """Answers a of tables that agree, none of which is negative: ‖a − a*‖ ≤ distance·‖â‖ for the best ones a*.

    Both norms are over all queries, weights included; â are the unbiased answers, made to agree with the total and
    with each other. No cell is below 0, and the tables agree up to rounding.
    """

    answers: Vector
    distance: float


def consistent_tables(sizes: Sequence[int], tables: Sequence[Table], answers: Vector, total: float) -> ConsistentTables:
    """The non-negative tables that agree and come nearest to the answers, weights included, with this total.

    Raises NotConverged where the answers are not proved to be near the best ones.

    >>> tables = [Table((0, 1), 1.0, 0), Table((1, 2), 1.0, 4)]
    >>> found = consistent_tables((2, 2, 2), tables, np.array([6.0, -2, 3, 3, 5, 4, 0, 1]), total=10)
    >>> found.answers.round(3).tolist()
    [5.6, 0.0, 2.6, 1.8, 4.6, 3.6, 0.4, 1.4]
    """
    families = TableFamilies(sizes, tables, total)
    nearest = families.nearest(answers)
    agreed = families.answers(families.uniform + families.cells(nearest), len(answers))
    size = float(np.linalg.norm(agreed))
    if size == 0:
        return ConsistentTables(agreed, 0.0)
    found = project(families, nearest, size)
    cells = np.maximum(families.uniform + families.cells(found.y), 0.0)
    return ConsistentTables(families.answers(cells, len(answers)), found.distance)
