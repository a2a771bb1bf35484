"""The paper's competitors agree with the code that its authors published."""

from __future__ import annotations

import pytest

from benchmarks.authors import COMPETITORS, Figure, figures, paper_workload
from lowkey.analysis.variance import analyze
from lowkey.mechanisms import create

FIGURES = figures(*COMPETITORS)


def test_all_figures_are_there() -> None:
    assert len(FIGURES) == 6 * 4 * 4


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f"{f['mechanism']}-{f['workload']}-{f['epsilon']}")
def test_worst_and_average_variance(figure: Figure) -> None:
    low_degree = figure["mechanism"] == "fourier" and figure["workload"] in ("3way_marginals", "parity")
    options = {"degree": 3} if low_degree else {}
    mechanism = create(figure["mechanism"], 64, figure["epsilon"], **options)
    analysis = analyze(paper_workload(figure["workload"]), mechanism)
    assert mechanism.shape[0] == figure["outputs"]
    assert analysis.worst_case == pytest.approx(figure["worst_case"], rel=1e-6)
    assert analysis.average == pytest.approx(figure["average"], rel=1e-6)
