"""Marginals and parities straight from the reports of a shift-invariant mechanism, with the variance of each answer.

With V the decoder's row of a query w, the variance for a fixed population is Σ_o V_o² (Qx)_o − Σ_u w_u² x_u. Responses
y in place of Qx and estimates in place of x make it an unbiased estimate; the last sum is the answer itself where w is
0 or 1, and the number of people for a parity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lowkey.checks import Vector
from lowkey.errors import InvalidInput
from lowkey.estimate.group_tables import estimate_by_group
from lowkey.estimate.junta_tables import estimate_by_juntas
from lowkey.estimate.table_blocks import table_blocks
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.workloads.interactions import Table


@dataclass(frozen=True)
class TableEstimate:
    """Unbiased answers, one a query, weights included, and unbiased estimates of their variances.

    Chance may turn the estimate of a small variance negative.
    """

    answers: Vector
    variances: Vector


def estimate_tables(mechanism: InvariantMechanism, responses: Responses, tables: Sequence[Table]) -> TableEstimate:
    """The tables' answers that the responses give.

    Raises QueryNotAnswerable when the mechanism's outputs do not determine some table.
    """
    queries = max((table.start + _cells(mechanism.sizes, table) for table in tables), default=0)
    answers, variances = np.zeros((2, queries))
    if isinstance(mechanism, JuntaMechanism):
        blocks = table_blocks(tables, mechanism.sizes, mechanism.classes)
        estimate_by_juntas(mechanism, responses, blocks, answers, variances)
    elif isinstance(mechanism, GroupMechanism):
        blocks = table_blocks(tables, mechanism.sizes, mechanism.sizes)
        estimate_by_group(mechanism, responses, blocks, answers, variances)
    else:
        raise InvalidInput("the mechanism", mechanism, "a GroupMechanism or a JuntaMechanism")
    return TableEstimate(answers, variances)


def _cells(sizes: Sequence[int], table: Table) -> int:
    return 1 if table.is_parity else math.prod(sizes[attribute] for attribute in table.attributes)
