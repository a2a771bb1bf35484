"""What the paper's authors' published code reaches on its six workloads at n = 64 and n = 512."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NotRequired, TypedDict

from lowkey.experiments.paper_workloads import paper_workload

__all__ = ["ALGORITHM_2", "COMPETITORS", "Figure", "figures", "paper_workload"]

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
