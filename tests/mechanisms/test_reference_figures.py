"""The paper's competitors agree with the code that its authors published."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypedDict

import pytest

from lowkey import workloads
from lowkey.analysis.variance import analyze
from lowkey.mechanisms import create
from lowkey.workloads import Workload


class Figure(TypedDict):
    workload: str
    epsilon: float
    mechanism: str
    outputs: int
    worst_case: float
    average: float


FILE = Path(__file__).parents[1] / "data" / "reference_n64.json"
FIGURES: list[Figure] = json.loads(FILE.read_text())["figures"]
BITS = [2] * 6
WORKLOADS: dict[str, Callable[[], Workload]] = {
    "histogram": lambda: workloads.histogram(64),
    "prefix": lambda: workloads.prefix(64),
    "all_range": lambda: workloads.all_range(64),
    "all_marginals": lambda: workloads.all_marginals(BITS),
    "3way_marginals": lambda: workloads.k_way_marginals(BITS, 3),
    "parity": lambda: workloads.parity(6, 3),
}


@cache
def workload(name: str) -> Workload:
    return WORKLOADS[name]()


def test_all_figures_are_there() -> None:
    assert len(FIGURES) == 6 * 4 * 4


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f"{f['mechanism']}-{f['workload']}-{f['epsilon']}")
def test_worst_and_average_variance(figure: Figure) -> None:
    low_degree = figure["mechanism"] == "fourier" and figure["workload"] in ("3way_marginals", "parity")
    options = {"degree": 3} if low_degree else {}
    mechanism = create(figure["mechanism"], 64, figure["epsilon"], **options)
    analysis = analyze(workload(figure["workload"]), mechanism)
    assert mechanism.shape[0] == figure["outputs"]
    assert analysis.worst_case == pytest.approx(figure["worst_case"], rel=1e-6)
    assert analysis.average == pytest.approx(figure["average"], rel=1e-6)
