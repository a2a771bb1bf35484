"""Tables times queries on one ordered attribute, straight from the reports of a mechanism that draws attributes.

A report (a, s, t) adds to the cell (u, v) of the table over the ordered attribute and others T a kernel of u and of
v − t on the slots whose attributes are in T (`SampledInformation.kernels`), divided by the cells of T. Which slots
these are is the report's *placement*. Sums over all reports of one placement are convolutions over the slots.

The variance of a query w for a fixed population is Σ_o V_o² (Qx)_o − Σ_u w_u² x_u with V the decoder's row: responses
in place of Qx and estimates in place of x make it an unbiased estimate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.fft

from lowkey.analysis.attribute_sets import distinct_rows
from lowkey.analysis.sampled_decoder import shared_blocks
from lowkey.analysis.sampled_information import SampledInformation
from lowkey.checks import Matrix, Vector
from lowkey.errors import NotAvailable
from lowkey.estimate.interaction_estimate import TableEstimate
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.places import Numbers, cells_of
from lowkey.mechanisms.sampled import SampledMechanism, Waves
from lowkey.workloads.base import Workload
from lowkey.workloads.interactions import Table
from lowkey.workloads.ordered import Term

Slots = tuple[int, ...]
ABSENT = -1  # of an attribute that no slot stands for


def estimate_ordered(mechanism: SampledMechanism, responses: Responses, workload: Workload) -> TableEstimate:
    """The workload's answers, weights included, and unbiased estimates of their variances.

    Raises QueryNotAnswerable when the mechanism's outputs do not determine some query.
    """
    ordered, terms = shared_blocks(workload, mechanism), workload.terms()
    if ordered is None or terms is None or any(table.is_parity for term in terms for table in term.tables):
        expected = "marginals, and products of marginals with queries on the mechanism's ordered attribute"
        raise NotAvailable("the estimate from drawn attributes", f"asked for {workload.name}", expected)
    reports = _Reports(mechanism, responses)
    reports.information.refuse_unanswerable(ordered)
    answers, variances = np.zeros((2, workload.shape[0]))
    for term in terms:
        for queries, tables in _by_queries(term, mechanism):
            kernels = _Kernels(reports.information, queries)
            for table in tables:
                values, squares = reports.table(kernels, _others(table, mechanism))
                numbers = _numbers(term, table, mechanism, len(queries))
                weight = term.weight * table.weight
                answers[numbers] = weight * values
                variances[numbers] = weight**2 * squares
    return TableEstimate(answers, variances)


def _others(table: Table, mechanism: SampledMechanism) -> tuple[int, ...]:
    return tuple(attribute for attribute in table.attributes if attribute != mechanism.attribute)


def _by_queries(term: Term, mechanism: SampledMechanism) -> Iterator[tuple[Matrix, list[Table]]]:
    """The queries on the ordered attribute, with the tables that they are asked for."""
    if term.queries is not None:
        yield term.queries.to_dense(), list(term.tables)
        return
    for with_it, queries in ((True, np.identity(mechanism.values)), (False, np.ones((1, mechanism.values)))):
        tables = [table for table in term.tables if (mechanism.attribute in table.attributes) == with_it]
        if tables:
            yield queries, tables


def _numbers(term: Term, table: Table, mechanism: SampledMechanism, queries: int) -> Numbers:
    """Of the queries (a, b): those on the ordered attribute, and cells of the others in the order they are named."""
    shape = [mechanism.sizes[attribute] for attribute in table.attributes]
    cells = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    if mechanism.attribute in table.attributes:
        own = np.moveaxis(cells, table.attributes.index(mechanism.attribute), 0).reshape(queries, -1)
    else:
        own = np.broadcast_to(cells.reshape(1, -1), (queries, cells.size))
    steps = np.arange(queries)[:, None] * term.step
    numbers: Numbers = term.start + steps + (table.start + own) * term.table_step
    return numbers


class _Kernels:
    """What reports add to the table over value and slots, and to the squares of the queries' answers."""

    def __init__(self, information: SampledInformation, queries: Matrix) -> None:
        self.information, self.queries = information, queries
        self._squares: dict[Slots, Waves] = {}

    def values(self, slots: Slots) -> Waves:
        """The transforms along the slots, in this order: (patterns, values, axes of the slots)."""
        mechanism = self.information.mechanism
        shape = (len(mechanism.patterns), mechanism.values, *mechanism.slot_sizes)
        index = tuple(slice(None) if slot in slots else 0 for slot in range(len(mechanism.slot_sizes)))
        part = self.information.kernels.reshape(shape)[(slice(None), slice(None), *index)]
        transforms: Waves = part.transpose(0, 1, *(2 + np.argsort(np.argsort(slots))))
        return transforms * math.prod(transforms.shape[2:])

    def squares(self, slots: Slots) -> Waves:
        """Of the squared answers: (patterns, queries, axes of the slots)."""
        if slots not in self._squares:
            waves = np.moveaxis(np.tensordot(self.values(slots), self.queries, axes=(1, 1)), -1, 1)
            self._squares[slots] = _transform(_inverse(waves, 2) ** 2, 2)
        return self._squares[slots]


@dataclass(frozen=True, eq=False)
class _Reports:
    """The different reports and how often each came."""

    mechanism: SampledMechanism
    responses: Responses

    @cached_property
    def information(self) -> SampledInformation:
        return SampledInformation(self.mechanism)

    @cached_property
    def _decoded(self) -> tuple[Numbers, Numbers, Numbers, Vector]:
        outputs, counts = self.responses.tally()
        return *self.mechanism.decode(outputs), counts

    def table(self, kernels: _Kernels, attributes: tuple[int, ...]) -> tuple[Matrix, Matrix]:
        """The answers (queries, cells of the attributes) and their estimated variances."""
        sizes = [self.mechanism.sizes[attribute] for attribute in attributes]
        table, squares = np.zeros((self.mechanism.values, *sizes)), np.zeros((len(kernels.queries), *sizes))
        for placement, tally in self._tallies(attributes):
            slots = tuple(slot for slot in placement if slot != ABSENT)
            shape = [1 if slot == ABSENT else size for slot, size in zip(placement, sizes, strict=True)]
            waves = _transform(tally, 1)
            table += _convolved(kernels.values(slots), waves).reshape(-1, *shape)
            squares += _convolved(kernels.squares(slots), waves).reshape(-1, *shape)
        cells = math.prod(sizes)
        estimated = table.reshape(len(table), -1) / cells
        spread = squares.reshape(len(squares), -1) / cells**2 - kernels.queries**2 @ estimated
        return kernels.queries @ estimated, spread

    def _tallies(self, attributes: tuple[int, ...]) -> Iterator[tuple[Slots, Matrix]]:
        """For each placement of the attributes that occurs, how often each pattern and shift came with it."""
        drawn, patterns, shifts, counts = self._decoded
        same = drawn[:, None, :] == np.array(attributes, dtype=np.int64)[None, :, None]
        placed = np.where(same.any(axis=2), same.argmax(axis=2), ABSENT)
        for rows in distinct_rows(placed - ABSENT):
            placement = tuple(placed[rows[0]].tolist())
            order = [slot for slot in placement if slot != ABSENT]
            shape = (len(self.mechanism.patterns), *(self.mechanism.slot_sizes[slot] for slot in order))
            cells = cells_of(np.column_stack([patterns[rows], shifts[rows][:, order]]), shape)
            yield placement, np.bincount(cells, counts[rows], math.prod(shape)).reshape(shape)


def _convolved(kernels: Waves, tally: Waves) -> Matrix:
    """Σ over patterns and shifts of tally times the shifted kernel: (queries, axes of the slots)."""
    return _inverse(np.einsum("sr...,s...->r...", kernels, tally), 1)


def _transform(values: Matrix, first: int) -> Waves:
    """Along the slots, the axes from number `first` on; there may be none."""
    axes = tuple(range(first, values.ndim))
    waves: Waves = scipy.fft.fftn(values, axes=axes) if axes else values.astype(np.complex128)
    return waves


def _inverse(waves: Waves, first: int) -> Matrix:
    axes = tuple(range(first, waves.ndim))
    values: Matrix = (scipy.fft.ifftn(waves, axes=axes) if axes else waves).real
    return values
