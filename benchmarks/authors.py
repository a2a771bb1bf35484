"""The paper's six workloads, and what its authors' published code reaches on them at n = 64 and n = 512."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NotRequired, TypedDict

import lowkey as lk
from lowkey.workloads import Workload

ALGORITHM_2 = "algorithm_2"
COMPETITORS = ("randomized_response", "hadamard", "hierarchical", "fourier")


class Figure(TypedDict):
    """Variance per user of one mechanism on one workload; `seconds` is how long the optimizer took."""

    workload: str
    epsilon: float
    mechanism: str
    outputs: int
    worst_case: float
    average: float
    seconds: NotRequired[float]


def figures(*mechanisms: str, cells: int = 64) -> list[Figure]:
    """The authors' figures for the named mechanisms."""
    file = Path(__file__).parent / "data" / f"authors_n{cells}.json"
    everything: list[Figure] = json.loads(file.read_text())["figures"]
    return [figure for figure in everything if figure["mechanism"] in mechanisms]


@cache
def paper_workload(name: str, cells: int = 64) -> Workload:
    """One of the paper's workloads; those over attributes take binary ones."""
    degree = cells.bit_length() - 1
    if name == "histogram":
        return lk.workloads.histogram(cells)
    if name == "prefix":
        return lk.workloads.prefix(cells)
    if name == "all_range":
        return lk.workloads.all_range(cells)
    if name == "all_marginals":
        return lk.workloads.all_marginals([2] * degree)
    if name == "3way_marginals":
        return lk.workloads.k_way_marginals([2] * degree, 3)
    return lk.workloads.parity(degree, 3)
