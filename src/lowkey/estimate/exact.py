"""The true answers of people who are known one by one, over a domain of any size: tables, and products with them.

Who has a value is a row of bits, 64 people a word: a table's cell is where the rows of its values are all set.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lowkey.checks import Matrix, Vector
from lowkey.errors import NotAvailable
from lowkey.estimate.table_blocks import TableBlock, table_blocks
from lowkey.mechanisms.places import Numbers, check_places
from lowkey.workloads.base import Workload
from lowkey.workloads.interactions import Table
from lowkey.workloads.ordered import Term

Words = npt.NDArray[np.uint64]
WORDS_AT_A_TIME = 2**18  # 2 MiB, which a processor keeps near


def exact_answers(workload: Workload, places: object) -> Vector:
    """W x (p,) for people given by their places (N, d) in the workload's attributes.

    >>> import lowkey as lk
    >>> exact_answers(lk.workloads.k_way_marginals([2, 2], 1), [[0, 1], [0, 0], [1, 1]]).tolist()
    [2.0, 1.0, 1.0, 2.0]
    """
    terms = workload.terms()
    if terms is None or any(term.queries is not None and table.is_parity for term in terms for table in term.tables):
        expected = "marginals and parities, or products of marginals with queries on one attribute"
        raise NotAvailable("the exact answers", f"asked for {workload.name}", expected)
    people = Members(check_places(places, workload.sizes), workload.sizes)
    answers = np.zeros(workload.shape[0])
    for term in terms:
        add = _add_tables if term.queries is None else _add_products
        add(term, people, answers)
    return answers


def _add_tables(term: Term, people: Members, answers: Vector) -> None:
    """Tables alone, whose queries are numbered from the term's start on."""
    for block in table_blocks(term.tables, people.sizes, people.sizes):
        values = people.parities(block) if block.is_parity else people.marginals(block)
        block.put(values, term.weight * block.weights, answers[term.start :])


def _add_products(term: Term, people: Members, answers: Vector) -> None:
    """The tables with the values of the term's attribute beside theirs, and its queries on these."""
    assert term.attribute is not None
    assert term.queries is not None
    for table in term.tables:
        joint = Table((term.attribute, *table.attributes), 1.0, 0)
        (block,) = table_blocks([joint], people.sizes, people.sizes)
        counts = np.zeros(joint.queries(people.sizes))
        block.put(people.marginals(block), block.weights, counts)
        found = term.queries.matvec(counts.reshape(people.sizes[term.attribute], -1))
        numbers = term.numbers(table, len(found), np.arange(found.shape[1]))
        answers[numbers] = term.weight * table.weight * found


class Members:
    """For each value of each attribute, who has it."""

    def __init__(self, places: Numbers, sizes: tuple[int, ...]) -> None:
        self._count = len(places)
        self.sizes = sizes
        self._starts = np.cumsum([0, *sizes[:-1]])
        self._rows = np.concatenate([_bits(column, size) for column, size in zip(places.T, sizes, strict=True)])

    def marginals(self, block: TableBlock) -> Matrix:
        """How many people fall into each cell (tables, axes…)."""
        count, degree = block.attributes.shape
        sizes = tuple(self.sizes[attribute] for attribute in block.attributes[0])
        if not degree:
            return np.full(count, float(self._count))
        step = max(1, WORDS_AT_A_TIME // (int(np.prod(sizes)) * self._rows.shape[1]))
        parts = [self._cells(block.attributes[start : start + step]) for start in range(0, count, step)]
        return np.concatenate(parts).reshape(count, *sizes)

    def parities(self, block: TableBlock) -> Matrix:
        """How many more people have an even than an odd number of second values."""
        count, degree = block.attributes.shape
        odd = np.zeros((count, self._rows.shape[1]), dtype=np.uint64)
        for axis in range(degree):
            odd ^= self._rows[self._starts[block.attributes[:, axis]] + 1]
        differences: Matrix = self._count - 2.0 * np.bitwise_count(odd).sum(axis=1)
        return differences.reshape(count, *[1] * degree)

    def _cells(self, attributes: Numbers) -> Matrix:
        """(tables, cells) of tables of one shape."""
        inside = self._of(attributes[:, 0])
        for axis in range(1, attributes.shape[1]):
            both = inside[:, :, None] & self._of(attributes[:, axis])[:, None]
            inside = both.reshape(len(attributes), -1, inside.shape[-1])
        people: Matrix = np.bitwise_count(inside).sum(axis=-1).astype(np.float64)
        return people

    def _of(self, attributes: Numbers) -> Words:
        """The rows (tables, values, words) of one attribute a table, all of one size."""
        values = np.arange(self.sizes[attributes[0]])
        rows: Words = self._rows[self._starts[attributes][:, None] + values]
        return rows


def _bits(column: Numbers, size: int) -> Words:
    """(values, words): a bit a person."""
    has = np.zeros((size, (len(column) // 64 + 1) * 64), dtype=np.bool_)
    has[column, np.arange(len(column))] = True
    return np.packbits(has, axis=1).view(np.uint64)
