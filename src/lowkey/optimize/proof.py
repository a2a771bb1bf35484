"""The bound that a solution is held against: what is known of the workload, or what the solver's own dual point proves.

The dual point (M, ν) is one for the prior at which the solver ended, so it bounds the average over that prior, and
with it the worst case. It is tight where the solver has converged.
"""

from __future__ import annotations

from lowkey.analysis.bounds import LowerBound
from lowkey.analysis.dual_bound import dual_bound
from lowkey.checks import check_prior
from lowkey.optimize.candidates import Question
from lowkey.optimize.column_generation import Run
from lowkey.optimize.information import evaluate
from lowkey.optimize.known_bounds import workload_bound
from lowkey.optimize.projected_gradient import Status
from lowkey.optimize.search import Search

CLOSE = 2e-3  # a gap that needs no better proof, unless a smaller one is asked for
DUAL_LIMIT = 128  # cells up to which the maximum over patterns is bounded in seconds
EXACT = 16  # and up to which it is found by trying them all, at once
DUAL_SECONDS = 15.0
DUAL_POINT = "dual point"


def proved_bound(
    search: Search, value: float, prior: object, target_gap: float | None, known: LowerBound | None = None
) -> LowerBound:
    """The best bound on the objective that was asked for; `known` is the workload's, where it is computed already."""
    question = search.question
    bound = known or workload_bound(question, prior)
    enough = CLOSE if target_gap is None else target_gap
    run = search.grown.run if search.grown is not None else None
    if run is None or run.status is Status.INTERRUPTED or question.cells > DUAL_LIMIT:
        return bound
    if bound.gap(value) <= enough and question.cells > EXACT:
        return bound
    dual = _dual(question, run)
    return dual if dual.value > bound.value else bound


def _dual(question: Question, run: Run) -> LowerBound:
    assert run.best is not None
    fetch = run.problem.arrays.fetch
    point = evaluate(run.problem, *run.best)
    prior = check_prior(fetch(run.best.prior), question.cells) if question.worst else question.prior
    value = dual_bound(
        question.workload.gram(),
        question.epsilon,
        prior,
        fetch(point.middle),
        fetch(point.multipliers),
        time_limit=DUAL_SECONDS,
    )
    return LowerBound(value, DUAL_POINT, question.objective, prior)
