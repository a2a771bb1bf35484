"""optimize: the strategy with the least variance on a workload that the optimizer finds."""

from __future__ import annotations

from collections.abc import Sequence

from lowkey.analysis.bounds import OBJECTIVES, lower_bound
from lowkey.checks import check_choice, check_epsilon, check_prior, check_size
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.catalogue import create
from lowkey.optimize.arrays import arrays_on
from lowkey.optimize.budget import Budget, ProgressCallback, check_time_limit
from lowkey.optimize.progress import listener
from lowkey.optimize.projected_gradient import Stopping
from lowkey.optimize.search import Search
from lowkey.optimize.solution import Solution
from lowkey.workloads.base import Workload

METHODS = ("auto", "projected-gradient")
OUTPUTS_PER_CELL = 4  # the paper's m = 4n


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
    start: str | Mechanism | None = None,
    outputs: int | Sequence[int] | None = None,
    iterations: int = 3000,
    tolerance: float = 1e-4,
) -> Solution:
    """Design an ε-LDP strategy for the workload.

    objective: "worst" (the type that suffers most) or "average" (over `prior`, uniform unless given). The paper's
        algorithm lowers the average; with "worst" the strategies that it finds are judged by their worst case.
    method: "projected-gradient" is the paper's Algorithm 2 from one start; "auto" runs it from a random start and
        from the best strategy of the catalogue, and returns nothing worse than that strategy.
    start: for "projected-gradient": the name of a catalogue mechanism or a mechanism; None is the random start.
    outputs: rows m of the random start (4n unless given), or several to try: the best after 50 iterations goes on.
    max_outputs: no strategy with more rows is considered.
    device: "cpu", "cuda" (PyTorch) or "auto".
    tolerance: a run ends when 25 iterations lower the error by less than this share.
    progress: True for a bar, or a function that is called with a Progress after each iteration.
    Ctrl-C ends the search and returns the best strategy so far.

    >>> import lowkey as lk
    >>> W = lk.workloads.prefix(16)
    >>> S = lk.optimize(W, epsilon=1.0)
    >>> S.analysis.worst_case < lk.analyze(W, lk.mechanisms.create("hierarchical", 16, 1.0)).worst_case
    True
    """
    check_choice("method", method, METHODS)
    check_choice("objective", objective, OBJECTIVES)
    epsilon = check_epsilon(epsilon)
    stopping = Stopping(check_size("iterations", iterations), _check_tolerance(tolerance))
    seed = check_size("seed", seed, minimum=0)
    cells = workload.shape[1]
    weights = check_prior(prior, cells)
    sizes = _output_sizes(outputs, max_outputs, cells)
    origin = _check_start(start, method, cells, epsilon)
    arrays = arrays_on(device, cells)
    limit = check_time_limit(time_limit)
    with listener(progress, limit) as callback:
        budget = Budget(limit, callback)
        search = Search(workload, epsilon, objective, weights, arrays, budget, stopping, seed, max_outputs)
        if origin is not None:
            best = search.from_mechanism(origin)
        else:
            best = search.everything(sizes) if method == "auto" else search.at_random(sizes)
    bound = lower_bound(workload, epsilon, objective, prior)
    history = tuple(budget.history)
    return Solution(best.mechanism, best.analysis, bound, best.status, best.origin, budget.seconds, history)


def _output_sizes(outputs: int | Sequence[int] | None, max_outputs: int | None, cells: int) -> tuple[int, ...]:
    """The sizes m to try: at least n each (fewer outputs cannot tell n cells apart), none above max_outputs."""
    given = OUTPUTS_PER_CELL * cells if outputs is None else outputs
    sizes = tuple(given) if isinstance(given, Sequence) else (given,)
    if not sizes:
        raise InvalidInput("outputs", outputs, "a number of rows, or several")
    sizes = tuple(check_size("outputs", size, minimum=cells) for size in sizes)
    if max_outputs is None:
        return sizes
    most = check_size("max_outputs", max_outputs, minimum=cells)
    return tuple(dict.fromkeys(min(size, most) for size in sizes))


def _check_start(start: object, method: str, cells: int, epsilon: float) -> Mechanism | None:
    if start is None:
        return None
    if method != "projected-gradient":
        raise InvalidInput("start", start, "nothing with method='auto'", "Use method='projected-gradient'.")
    mechanism = create(start, cells, epsilon) if isinstance(start, str) else start
    if not isinstance(mechanism, Mechanism):
        raise InvalidInput("start", start, "the name of a mechanism, a mechanism or None")
    if mechanism.domain_size != cells:
        raise InvalidInput("start", f"over {mechanism.domain_size} cells", f"a mechanism over {cells} cells")
    if not mechanism.is_ldp(epsilon):
        raise InvalidInput("start", f"not {epsilon:g}-LDP", "a mechanism that satisfies the ε asked for")
    return mechanism


def _check_tolerance(tolerance: object) -> float:
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise InvalidInput("tolerance", tolerance, "a number from 0 up to 1", "1e-4 is usual.")
    return float(tolerance)
