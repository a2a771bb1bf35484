"""reweight: the rows of a mechanism that exists, with the weights that are best for a workload."""

from __future__ import annotations

import numpy as np

from lowkey.analysis.bounds import OBJECTIVES
from lowkey.checks import check_choice, check_prior
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import Mechanism
from lowkey.optimize.arrays import arrays_on
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import Question
from lowkey.optimize.column_generation import Run, merged
from lowkey.optimize.information import problem_on
from lowkey.optimize.interior_point import interior_point
from lowkey.optimize.layers import two_level_rows
from lowkey.optimize.polish import MOST_OUTPUTS
from lowkey.optimize.two_level_search import candidate_of
from lowkey.optimize.weights import Design, Pace, settle
from lowkey.workloads.base import Workload, check_workload

STEPS, BATCH = 200, 5  # of the weights; the best design is looked for after each batch


def reweight(
    workload: Workload, mechanism: Mechanism, objective: str = "worst", prior: object = None, device: str = "auto"
) -> Mechanism:
    """The mechanism's rows, split into two-level ones, with the best weights for the workload: never worse than it.

    objective, prior, device: as for `optimize`. A mechanism that is best already is returned as it is.

    >>> import lowkey as lk
    >>> W, M = lk.workloads.prefix(16), lk.mechanisms.create("hierarchical", 16, 1.0)
    >>> round(lk.analyze(W, M).worst_case), round(lk.analyze(W, reweight(W, M)).worst_case)
    (202, 123)
    """
    check_choice("objective", objective, OBJECTIVES)
    cells = check_workload(workload).shape[1]
    if not isinstance(mechanism, Mechanism):
        raise InvalidInput("the mechanism", mechanism, "a Mechanism", "Use mechanisms.create(name, n, epsilon).")
    question = Question(workload, mechanism.epsilon, objective, check_prior(prior, cells), None)
    known = question.candidate(mechanism, mechanism.name)
    if question.is_trivial:
        return mechanism
    arrays = arrays_on(device, cells)
    patterns, weights = two_level_rows(mechanism)
    problem = problem_on(workload.gram(), mechanism.epsilon, arrays)
    run = Run(problem, question.worst, Budget(), np.random.default_rng(0))
    start = np.full(cells, 1.0 / cells) if question.worst else question.prior
    levels, merged_weights = merged(problem.levels(arrays.put(patterns)), arrays.put(weights), problem)
    with np.errstate(all="ignore"):
        _settled(run, Design(levels, merged_weights, arrays.put(start)))
    found = candidate_of(question, run, "reweighted", f"{mechanism.name}, reweighted")
    return mechanism if found is None or question.value(found) >= question.value(known) else found.mechanism


def _settled(run: Run, design: Design) -> None:
    pace = Pace(prior_rate=run.prior_rate)
    for number in range(STEPS // BATCH):
        design, point = settle(run.problem, design, pace, BATCH)
        run.keep(design, point, number)
    if run.best is not None and run.best.outputs <= MOST_OUTPUTS and run.problem.arrays.is_numpy:
        design, point = interior_point(run.problem, run.best, run.worst, run.budget)
        run.keep(design, point, 0)
