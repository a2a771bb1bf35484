"""Answers to marginals and parities from the reports of juntas, without a list of the cells."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from lowkey.analysis.attribute_sets import AttributeSets, with_parts
from lowkey.analysis.expected_squares import table_variances
from lowkey.analysis.junta_kernels import refuse_unanswerable_interactions
from lowkey.analysis.junta_moments import Moments
from lowkey.checks import Matrix, Vector
from lowkey.estimate.table_blocks import TableBlock
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.invariant import not_answerable
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.mechanisms.places import Numbers
from lowkey.mechanisms.ranks import subset_ranks


def estimate_by_juntas(
    mechanism: JuntaMechanism, responses: Responses, blocks: Sequence[TableBlock], answers: Vector, variances: Vector
) -> None:
    """Fill in the answers of the blocks' queries and the estimated variances."""
    _refuse_wide(mechanism, blocks)
    sums = _sums(mechanism, responses, blocks)
    users = float(responses.users)
    for block in blocks:
        example = tuple(block.attributes[0].tolist())
        values = _parities(sums, block, users) if block.is_parity else _marginals(mechanism, sums, block, users)
        block.put(values, block.weights, answers)
        block.put(table_variances(mechanism, example, values, users, block.is_parity), block.weights**2, variances)


def _marginals(mechanism: JuntaMechanism, sums: _Sums, block: TableBlock, users: float) -> Matrix:
    """(1/n_T) Σ_{S⊆T} x̂_S; the empty set's is the number of people."""
    count, degree = block.attributes.shape
    sizes = [mechanism.sizes[attribute] for attribute in block.attributes[0]]
    values = np.full((count, *sizes), users)
    for width in range(1, degree + 1):
        for places in itertools.combinations(range(degree), width):
            shape = (count, *(size if place in places else 1 for place, size in enumerate(sizes)))
            values += sums.of(block.attributes[:, places]).reshape(shape)
    found: Matrix = values / math.prod(sizes)
    return found


def _parities(sums: _Sums, block: TableBlock, users: float) -> Matrix:
    """A parity is +1 in cell 0 of its attributes, and this interaction alone."""
    count, degree = block.attributes.shape
    if not degree:
        return np.full((count,), users)
    return sums.of(block.attributes)[(slice(None), *[slice(1)] * degree)]


class _Sums:
    """The estimates of every interaction, found by its attributes."""

    def __init__(self, moments: Moments) -> None:
        self._sets = moments.sets
        self._classes = np.array(moments.mechanism.classes)
        self._sums = {kind: moments.sums(kind) for kind in moments.sets.groups}

    def of(self, attributes: Numbers) -> Matrix:
        """Of sets (count, q) of one type: an array (count, axes…)."""
        kind = tuple(self._classes[attributes[0]].tolist())
        _, rows = self._sets.groups[kind].find(subset_ranks(attributes))
        return self._sums[kind][rows]


def _sums(mechanism: JuntaMechanism, responses: Responses, blocks: Sequence[TableBlock]) -> _Sums:
    whole = [block.attributes for block in blocks if block.is_parity]
    parts = with_parts(block.attributes for block in blocks if not block.is_parity)
    sets = AttributeSets(mechanism.classes, itertools.chain(whole, parts))
    for group in sets.groups.values():
        refuse_unanswerable_interactions(mechanism, group.example)
    moments = Moments(mechanism, sets)
    moments.add(responses)
    return _Sums(moments)


def _refuse_wide(mechanism: JuntaMechanism, blocks: Sequence[TableBlock]) -> None:
    """No junta has so many slots: told before the subsets of such a table are listed."""
    for block in blocks:
        if block.attributes.shape[1] > mechanism.most_slots:
            raise not_answerable(tuple(block.attributes[0].tolist()))
