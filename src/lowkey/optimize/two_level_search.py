"""The certified method from its starts to its answer: grow a design, cut it to size, polish it, make it a mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lowkey.checks import Matrix, Vector
from lowkey.errors import LowkeyError
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.mechanisms.two_level import high_level
from lowkey.optimize.arrays import Arrays
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import FEW, PATTERNS, Candidate, Question
from lowkey.optimize.column_generation import Limits, Run
from lowkey.optimize.finish import BLENDS, mechanism_of
from lowkey.optimize.gaussian_start import gaussian_patterns
from lowkey.optimize.information import TRACES, problem_on
from lowkey.optimize.layers import two_level_rows
from lowkey.optimize.polish import polish
from lowkey.optimize.projected_gradient import Status
from lowkey.optimize.sizing import ADAPTING, cut_down, default_outputs
from lowkey.optimize.weights import Design

GAUSSIAN_OUTPUTS = 32  # of the start, times n, up to MOST_GAUSSIAN; fewer where a round takes long
MOST_GAUSSIAN = 12_288
GROWTH = 48  # outputs while the design grows, times n
POLISHED_CELLS = 64
SHARE_OF_TIME = 0.85  # of a time limit, for growing; the rest cuts to size and polishes
CONFIRMED = 1e-6  # relative: so near to the run's own value a mechanism's must be
REFINING = 40  # rounds with each smaller trace
SHARE_OF_TIME_FEW = 0.5  # where outputs are few
GIVEN_WEIGHT = 0.5  # share of the reports that mechanisms given to start from begin with


class Grown(NamedTuple):
    """What the method yields: the mechanism analysed, the run behind it, and what its design was before the cut."""

    candidate: Candidate
    run: Run
    full_outputs: int
    full_value: float


def two_level_search(
    question: Question,
    arrays: Arrays,
    budget: Budget,
    seed: int,
    limits: Limits,
    given: Sequence[Mechanism] = (),
) -> Grown | Status:
    """The best two-level mechanism that is found for the question, from closed-form starts and the `given` ones.

    How the run ended where it has none: it was stopped at once, doubles do not resolve the problem, or no design of
    the size asked for was found.
    """
    gram = question.workload.gram()
    problem = problem_on(gram, question.epsilon, arrays)
    run = Run(problem, question.worst, budget.part(_growing(question)), np.random.default_rng(seed))
    patterns, weights = _start(gram, question.epsilon, seed, given, arrays)
    prior = np.full(question.cells, 1.0 / question.cells) if question.worst else question.prior
    design = Design(problem.levels(arrays.put(patterns)), arrays.put(weights), arrays.put(prior))
    run.improve(design, limits)
    if run.best is None:
        return run.status
    full_outputs, full_value = run.best.outputs, run.value
    run.budget, ending = budget, run.status
    with np.errstate(all="ignore"):
        candidate, run = _finished(run, question, limits)
    if candidate is None:
        return run.status
    status = run.status if run.status is Status.INTERRUPTED else ending
    return Grown(candidate._replace(status=status), run, full_outputs, full_value)


def _finished(run: Run, question: Question, limits: Limits) -> tuple[Candidate | None, Run]:
    """The run's answer, after more rounds with a smaller trace for as long as the mechanism does not confirm it."""
    _finish(run, question, limits)
    best, best_run = candidate_of(question, run, PATTERNS, "optimized"), run
    for trace in TRACES[1:] if run.problem.blind is not None else ():
        stopped = run.status is Status.INTERRUPTED or run.budget.is_spent or run.best is None
        if stopped or (best is not None and question.value(best) <= run.value * (1 + CONFIRMED)):
            break
        run = replace(run, problem=replace(run.problem, trace=trace), values=[], value=float("inf"))
        assert run.best is not None
        run.stage = "patterns, more exactly"
        run.improve(run.best, replace(limits, rounds=REFINING))
        _finish(run, question, limits)
        found = candidate_of(question, run, PATTERNS, "optimized")
        if found is not None and (best is None or question.value(found) < question.value(best)):
            best, best_run = found, run
    return best, best_run


def _finish(run: Run, question: Question, limits: Limits) -> None:
    """Cut to size and take to the last digits; after Ctrl-C nothing but the cut that `max_outputs` asks for."""
    most = question.max_outputs or default_outputs(question.cells)
    run.stage = "cutting to size"
    if run.status is not Status.INTERRUPTED:
        cut_down(run, most, ADAPTING, limits.target)
    elif question.max_outputs is not None:
        cut_down(run, most, 0)
    small = run.problem.arrays.is_numpy and question.cells <= POLISHED_CELLS
    if small and run.status is not Status.INTERRUPTED and run.value > limits.target:
        run.stage = "last digits"
        polish(run, most)


def _growing(question: Question) -> float:
    """The share of the time that growing takes: less where there is more to cut, and to adapt then."""
    return SHARE_OF_TIME_FEW if question.outputs_per_cell <= FEW else SHARE_OF_TIME


def candidate_of(question: Question, run: Run, origin: str, name: str) -> Candidate | None:
    """The run's best design as a mechanism that answers every query; None where that takes too many outputs."""
    if run.best is None:
        return None
    for blend in BLENDS:
        try:
            mechanism = mechanism_of(run.problem, run.best, blend, name)
            if question.allows(mechanism):
                return question.candidate(mechanism, origin, run.status)
        except LowkeyError:  # a query is lost to rounding, or its columns do not sum to 1: more of the simplest helps
            continue
    return None


def _start(
    gram: Matrix, epsilon: float, seed: int, given: Sequence[Mechanism], arrays: Arrays
) -> tuple[Patterns, Vector]:
    """Gaussian and one-cell patterns with even weights, and the rows of the mechanisms given with theirs."""
    cells = len(gram)
    count = min(GAUSSIAN_OUTPUTS * cells, max(MOST_GAUSSIAN, 4 * cells))
    patterns = np.vstack([gaussian_patterns(gram, epsilon, count, seed, arrays), np.eye(cells, dtype=np.bool_)])
    weights = _shared_out(patterns, np.ones(len(patterns)), epsilon, 1.0)
    if not given:
        return patterns, weights
    known = [two_level_rows(mechanism, GROWTH * cells) for mechanism in given]
    share = GIVEN_WEIGHT / len(known)
    parts = [_shared_out(bits, scale, epsilon, share) for bits, scale in known]
    every = np.vstack([patterns, *(bits for bits, _ in known)])
    return every, np.concatenate([(1 - GIVEN_WEIGHT) * weights, *parts])


def _shared_out(patterns: Patterns, weights: Vector, epsilon: float, share: float) -> Vector:
    """The weights scaled so that columns sum to `share` on average."""
    total = float(weights @ (1.0 + (high_level(epsilon) - 1.0) * patterns.mean(axis=1)))
    scaled: Vector = weights * (share / total)
    return scaled
