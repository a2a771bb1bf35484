"""Answers to marginals and parities from the reports of juntas, without a list of the cells."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from lowkey.analysis.attribute_sets import AttributeSets, with_parts
from lowkey.analysis.junta_kernels import MarginalKernels, PartKernels, refuse_unanswerable_interactions
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
    marginals = [block for block in blocks if not block.is_parity]
    parities = [block for block in blocks if block.is_parity]
    _refuse_wide(mechanism, blocks)
    for block, values, squares in _marginals(mechanism, responses, marginals):
        block.put(values, block.weights, answers)
        block.put(squares - values, block.weights**2, variances)
    for block, values, squares in _parities(mechanism, responses, parities):
        block.put(values, block.weights, answers)
        block.put(squares - responses.users, block.weights**2, variances)


def _marginals(
    mechanism: JuntaMechanism, responses: Responses, blocks: Sequence[TableBlock]
) -> list[tuple[TableBlock, Matrix, Matrix]]:
    """Each block's estimates, and Σ_o y_o V_o² for each of their cells."""
    sets = AttributeSets(mechanism.classes, with_parts(block.attributes for block in blocks))
    moments = _moments(MarginalKernels(mechanism), sets, responses)
    return [(block, *_assembled(mechanism, moments, block, float(responses.users))) for block in blocks]


def _assembled(mechanism: JuntaMechanism, moments: _Sums, block: TableBlock, users: float) -> tuple[Matrix, Matrix]:
    """(1/n_T) Σ_{S⊆T} x̂_S and (1/n_T²) Σ_{R⊆T} M_R; the empty set's are the number of people."""
    count, degree = block.attributes.shape
    sizes = [mechanism.sizes[attribute] for attribute in block.attributes[0]]
    values, squares = np.full((2, count, *sizes), users)
    for width in range(1, degree + 1):
        for places in itertools.combinations(range(degree), width):
            first, second = moments.of(block.attributes[:, places])
            shape = (count, *(size if place in places else 1 for place, size in enumerate(sizes)))
            values += first.reshape(shape)
            squares += second.reshape(shape)
    cells = math.prod(sizes)
    return values / cells, squares / cells**2


def _parities(
    mechanism: JuntaMechanism, responses: Responses, blocks: Sequence[TableBlock]
) -> list[tuple[TableBlock, Matrix, Matrix]]:
    """Each block's estimates and Σ_o y_o V_o²: a parity is +1 in cell 0 of its attributes."""
    sets = AttributeSets(mechanism.classes, (block.attributes for block in blocks))
    moments = _moments(PartKernels(mechanism), sets, responses)
    found = []
    for block in blocks:
        count, degree = block.attributes.shape
        values, squares = np.full((2, count, *[1] * degree), float(responses.users))
        if degree:
            first, second = moments.of(block.attributes)
            corner = (slice(None), *[slice(1)] * degree)
            values, squares = first[corner], second[corner]
        found.append((block, values, squares))
    return found


class _Sums:
    """The moments of every set, found by its attributes."""

    def __init__(self, moments: Moments) -> None:
        self._sets = moments.sets
        self._classes = np.array(moments.mechanism.classes)
        self._sums = {kind: moments.sums(kind) for kind in moments.sets.groups}

    def of(self, attributes: Numbers) -> tuple[Matrix, Matrix]:
        """Of sets (count, q) of one type: arrays (count, axes…)."""
        kind = tuple(self._classes[attributes[0]].tolist())
        _, rows = self._sets.groups[kind].find(subset_ranks(attributes))
        first, second = self._sums[kind]
        return first[rows], second[rows]


def _moments(kernels: MarginalKernels | PartKernels, sets: AttributeSets, responses: Responses) -> _Sums:
    for group in sets.groups.values():
        refuse_unanswerable_interactions(kernels.mechanism, group.example)
    moments = Moments(kernels, sets)
    moments.add(responses)
    return _Sums(moments)


def _refuse_wide(mechanism: JuntaMechanism, blocks: Sequence[TableBlock]) -> None:
    """No junta has so many slots: told before the subsets of such a table are listed."""
    for block in blocks:
        if block.attributes.shape[1] > mechanism.most_slots:
            raise not_answerable(tuple(block.attributes[0].tolist()))
