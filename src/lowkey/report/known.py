"""Queries whose answers are known before anybody is asked: those that count everyone alike."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from lowkey.workloads.base import Workload
from lowkey.workloads.ordered import Term

Flags = npt.NDArray[np.bool_]

MOST_CELLS = 2**20  # beyond, tables are looked at and not vectors over the domain


def open_queries(workload: Workload) -> Flags:
    """Which queries need reports to be answered; the others have the same coefficient for every cell.

    Such a query, and almost surely no other, gives 0 on random numbers whose sum is 0: no query is looked at cell by
    cell, so a workload of millions of queries is fine.

    >>> from lowkey.workloads import prefix
    >>> open_queries(prefix(3)).tolist()
    [True, True, False]
    """
    terms = workload.terms() if workload.shape[1] > MOST_CELLS else None
    if terms is not None:
        return _open_terms(workload, terms)
    numbers = np.random.default_rng(0).normal(size=workload.shape[1])
    answers = np.abs(workload.matvec(numbers - numbers.mean()))
    flags: Flags = answers > 1e-9 * max(float(answers.max()), 1e-300)
    return flags


def _open_terms(workload: Workload, terms: Iterable[Term]) -> Flags:
    """All but the tables of attributes that have one value, and times other queries those of these that are known."""
    flags = np.ones(workload.shape[0], dtype=np.bool_)
    for term in terms:
        own = np.zeros(1, dtype=np.bool_) if term.queries is None else open_queries(term.queries)
        for table in term.tables:
            if all(workload.sizes[attribute] == 1 for attribute in table.attributes):
                flags[term.numbers(table, len(own), np.zeros(1, dtype=np.int64))[:, 0]] = own & (
                    term.queries is not None
                )
    return flags
