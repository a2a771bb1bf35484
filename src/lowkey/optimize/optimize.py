"""optimize: the strategy with the least variance on a workload, and the proof of how near it is to the best."""

from __future__ import annotations

from collections.abc import Sequence

from lowkey.analysis.bounds import OBJECTIVES
from lowkey.checks import check_choice, check_epsilon, check_prior, check_size
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.catalogue import create
from lowkey.optimize.arrays import arrays_on
from lowkey.optimize.big_domain import check_unused, is_big, optimize_big
from lowkey.optimize.budget import Budget, ProgressCallback, check_time_limit
from lowkey.optimize.candidates import ALGORITHM_2, CATALOGUE_LIMIT, PATTERNS, RANDOM, Candidate, Question
from lowkey.optimize.known_bounds import first_bound, workload_bound
from lowkey.optimize.ordered_domain import (
    general_method_note,
    may_start,
    optimize_ordered,
    ordered_layout,
    refuse_large,
)
from lowkey.optimize.progress import listener
from lowkey.optimize.projected_gradient import Status, Stopping
from lowkey.optimize.proof import proved_bound
from lowkey.optimize.search import Search
from lowkey.optimize.solution import Solution, Trim
from lowkey.workloads.base import Workload, check_workload

METHODS = ("auto", "projected-gradient")
DRAWN_GAP = 0.02  # with a larger one, drawing attributes beside an ordered one has the general method to compete with
DRAWN_SHARE = 0.5  # of a time limit, where both may be needed
OUTPUTS_PER_CELL = 4  # the paper's m = 4n, for Algorithm 2


def optimize(
    workload: Workload,
    epsilon: float,
    objective: str = "worst",
    method: str = "auto",
    prior: object = None,
    seed: int = 0,
    time_limit: float | None = None,
    max_outputs: int | None = None,
    device: str = "auto",
    progress: bool | ProgressCallback | None = None,
    *,
    target_gap: float | None = None,
    start: str | Mechanism | Solution | None = None,
    outputs: int | Sequence[int] | None = None,
    iterations: int = 3000,
    tolerance: float = 1e-4,
    deployable: bool = False,
) -> Solution:
    """Design an ε-LDP strategy for the workload.

    objective: "worst" (the type that suffers most) or "average" (over `prior`, uniform unless given). With "worst" a
        prior changes what `analysis.average` refers to and nothing else, save that Algorithm 2 lowers this average.
    method: "auto" solves the convex problem over two-level rows and returns nothing worse than a strategy of the
        catalogue; for marginals, parities and histograms among strategies that no shift of the domain changes, however
        large it is; for their products with queries on one ordered attribute, beyond 64 cells, among those that no
        shift of the other attributes changes. "projected-gradient" is the paper's Algorithm 2.
    max_outputs: nothing with more outputs is returned, at least n. Unless given, "auto" cuts its own design to 32 a
        cell, while a mechanism of the catalogue, or one that draws attributes, may have any number; Algorithm 2 starts
        with `outputs` rows.
    target_gap: stop as soon as value/bound − 1 is proved to be at most this.
    start: a mechanism, its name, or an earlier Solution (of any ε) to go on from.
    outputs: for "projected-gradient": rows m of the random start, or several to try for 50 iterations each.
    device: "cpu", "cuda" (PyTorch) or "auto".
    deployable: no mechanism that `deploy` refuses: outputs that can be listed, or base patterns.
    tolerance: a run ends when 40 rounds (Algorithm 2: 25 iterations) lower the error by less than this share.
    progress: True for a bar, or a function that is called with a Progress after each iteration.
    Ctrl-C ends the search and returns the best strategy so far. The same seed gives the same strategy.

    >>> import lowkey as lk
    >>> S = lk.optimize(lk.workloads.prefix(16), epsilon=1.0)
    >>> S.analysis.worst_case < 75.1
    True
    """
    check_workload(workload)
    check_choice("method", method, METHODS)
    check_choice("objective", objective, OBJECTIVES)
    epsilon = check_epsilon(epsilon)
    stopping = Stopping(check_size("iterations", iterations), _check_tolerance(tolerance))
    seed = check_size("seed", seed, minimum=0)
    limit, gap = check_time_limit(time_limit), _check_gap(target_gap)
    if method == "auto" and max_outputs is None and is_big(workload, objective, prior):
        check_unused(workload, prior, start, device)
        with listener(progress, limit) as callback:
            return optimize_big(workload, epsilon, objective, seed, Budget(limit, callback), gap, start)
    drawn: Solution | None = None
    may_draw = method == "auto" and max_outputs is None and may_start(start)
    layout = ordered_layout(workload, epsilon, objective, prior) if may_draw else None
    if layout is not None:
        small = workload.shape[1] <= CATALOGUE_LIMIT
        with listener(progress, limit) as callback:
            budget = Budget(limit, callback).part(DRAWN_SHARE if small else 1.0)
            drawn = optimize_ordered(workload, layout, epsilon, objective, device, stopping, seed, budget, gap, start)
        if not small or drawn.status is Status.INTERRUPTED or drawn.gap <= (DRAWN_GAP if gap is None else gap):
            return drawn
        limit = None if limit is None else max(limit - drawn.seconds, limit * (1 - DRAWN_SHARE))
    refuse_large(workload)
    cells = workload.shape[1]
    most = None if max_outputs is None else check_size("max_outputs", max_outputs, minimum=cells)
    question = Question(workload, epsilon, objective, check_prior(prior, cells), most, deployable)
    sizes = _output_sizes(outputs, most, cells)
    origin = _check_start(start, method, cells, epsilon)
    arrays = arrays_on(device, cells)
    known = None if gap is None else workload_bound(question, prior)
    target = 0.0 if known is None or target_gap is None else known.value * (1 + target_gap)
    with listener(progress, limit) as callback:
        budget = Budget(limit, callback)
        budget.bound = known.value if known is not None else first_bound(question) if callback else 0.0
        search = Search(question, arrays, budget, stopping, seed, target)
        best = _searched(search, method, origin, sizes)
    seconds = budget.seconds
    bound = proved_bound(search, question.value(best), prior, target_gap, known)
    if target_gap is not None and bound.gap(question.value(best)) <= target_gap:
        best = best._replace(status=Status.GAP_REACHED)
    elif best.status is Status.GAP_REACHED:  # not quite, by the exact analysis
        best = best._replace(status=Status.CONVERGED)
    found = Solution(
        best.mechanism,
        best.analysis,
        bound,
        best.status,
        best.origin,
        seconds,
        tuple(budget.history),
        _trimmed(search, best),
        general_method_note(workload) if method == "auto" else "",
    )
    return found if drawn is None or found.value <= drawn.value else drawn


def _searched(search: Search, method: str, origin: Mechanism | None, sizes: Sequence[int]) -> Candidate:
    if method == "auto":
        return search.certified(origin)
    return search.at_random(sizes) if origin is None else search.from_mechanism(origin)


def _check_gap(target_gap: object) -> float | None:
    if target_gap is None:
        return None
    if isinstance(target_gap, bool) or not isinstance(target_gap, int | float) or not target_gap >= 0:
        raise InvalidInput("target_gap", target_gap, "a number of at least 0", "0.02 stops within 2% of the best.")
    return float(target_gap)


def _trimmed(search: Search, best: Candidate) -> Trim | None:
    grown = search.grown
    if grown is None or best.origin not in (PATTERNS, RANDOM, ALGORITHM_2):
        return None
    return Trim(grown.full_outputs, grown.full_value) if grown.full_outputs > best.mechanism.shape[0] else None


def _output_sizes(outputs: int | Sequence[int] | None, max_outputs: int | None, cells: int) -> tuple[int, ...]:
    """The sizes m to try: at least n each (fewer outputs cannot tell n cells apart), none above max_outputs."""
    given = OUTPUTS_PER_CELL * cells if outputs is None else outputs
    sizes = tuple(given) if isinstance(given, Sequence) else (given,)
    if not sizes:
        raise InvalidInput("outputs", outputs, "a number of rows, or several")
    sizes = tuple(check_size("outputs", size, minimum=cells) for size in sizes)
    if max_outputs is None:
        return sizes
    return tuple(dict.fromkeys(min(size, max_outputs) for size in sizes))


def _check_start(start: object, method: str, cells: int, epsilon: float) -> Mechanism | None:
    if start is None:
        return None
    mechanism = create(start, cells, epsilon) if isinstance(start, str) else start
    if isinstance(mechanism, Solution):
        mechanism = mechanism.mechanism
    if not isinstance(mechanism, Mechanism):
        raise InvalidInput("start", start, "the name of a mechanism, a mechanism, a Solution or None")
    if mechanism.domain_size != cells:
        raise InvalidInput("start", f"over {mechanism.domain_size} cells", f"a mechanism over {cells} cells")
    if method == "projected-gradient" and not mechanism.is_ldp(epsilon):
        raise InvalidInput("start", f"not {epsilon:g}-LDP", "a mechanism that satisfies the ε asked for")
    return mechanism


def _check_tolerance(tolerance: object) -> float:
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise InvalidInput("tolerance", tolerance, "a number from 0 up to 1", "1e-4 is usual.")
    return float(tolerance)
