"""The last digits: a small design's weights by interior point, and patterns priced in until none is missing."""

from __future__ import annotations

import numpy as np

from lowkey.optimize.column_generation import Run, merged
from lowkey.optimize.information import Point, Problem
from lowkey.optimize.interior_point import interior_point
from lowkey.optimize.pricing import climb
from lowkey.optimize.weights import Design

MOST_OUTPUTS = 1500  # a Newton step costs their cube
MOST_ROUNDS = 12
NEGLIGIBLE = 1e-5  # of the mean share: rows below are dropped before a solve
NEWCOMER = 1e-3  # of the mean weight: what a new pattern starts with
MISSING = 1e-8  # relative surplus of a pattern that is worth adding
TANGENTS, FLIPS = 3, 8
RANDOM_STARTS = 8  # random patterns to climb from, times n
LEAST_PROGRESS = 1e-8  # relative


def polish(run: Run, most: int) -> None:
    """Take the run's best design to the optimum over the patterns that climbing finds, if that keeps within `most`."""
    design, problem = run.best, run.problem
    try:
        for number in range(MOST_ROUNDS):
            if design is None or run.budget.is_spent:
                return
            design = without_negligible(problem, design)
            if design.outputs > MOST_OUTPUTS:
                return
            design, point = interior_point(problem, design, run.worst, run.budget)
            before = run.value
            if design.outputs <= most:
                run.keep(design, point, number)
            design = _with_missing(problem, design, point, run.rng)
            if run.value > before * (1 - LEAST_PROGRESS) and number > 0:
                return
    except KeyboardInterrupt:
        run.interrupted()


def without_negligible(problem: Problem, design: Design, share: float = NEGLIGIBLE) -> Design:
    """The design without rows that hardly ever occur."""
    xp = problem.xp
    shares = design.weights * xp.matmul(design.levels, design.prior)
    kept = shares > share * float(xp.mean(shares))
    return Design(design.levels[kept, :], design.weights[kept], design.prior)


def _with_missing(problem: Problem, design: Design, point: Point, rng: np.random.Generator) -> Design:
    """The design with the best patterns found that it lacks."""
    n = problem.cells
    density = rng.uniform(0.2, 2.0, (RANDOM_STARTS * n, 1)) / (1 + problem.high)
    starts = problem.levels(rng.random((RANDOM_STARTS * n, n)) < density)
    starts = np.concatenate([design.levels, starts])
    found, surplus = climb(problem, starts, design.prior, point, TANGENTS, FLIPS)
    found = found[surplus > MISSING]
    weights = np.full(len(found), NEWCOMER * design.weights.mean())
    levels, weights = merged(np.concatenate([design.levels, found]), np.concatenate([design.weights, weights]), problem)
    return Design(levels, weights, design.prior)
