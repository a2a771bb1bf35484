"""optimize for one ordered attribute beside others, on domains of any size: by blocks, with attributes drawn."""

from __future__ import annotations

from lowkey.analysis.bounds import lower_bound
from lowkey.errors import TooLarge, format_size
from lowkey.optimize.arrays import arrays_on
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import objective_value
from lowkey.optimize.projected_gradient import Status, Stopping
from lowkey.optimize.sampled.layout import Layout, layout_of
from lowkey.optimize.sampled.search import SampledSearch
from lowkey.optimize.solution import Solution
from lowkey.optimize.two_level_search import POLISHED_CELLS
from lowkey.workloads.base import DENSE_LIMIT, Workload

DRAWN = "others at random"


def ordered_layout(workload: Workload, epsilon: float, objective: str, prior: object) -> Layout | None:
    """The slots of a mechanism that draws the other attributes; None where the general method is to be used."""
    fair = objective == "worst" or prior is None
    if not fair or workload.shape[1] <= POLISHED_CELLS or workload.interactions is not None:
        return None
    ordered = workload.ordered_interactions
    if ordered is None or ordered.values == workload.shape[1]:
        return None
    try:
        return layout_of(ordered, epsilon)
    except TooLarge:
        if workload.shape[1] ** 2 <= DENSE_LIMIT:
            return None
        raise


def optimize_ordered(
    workload: Workload,
    layout: Layout,
    epsilon: float,
    objective: str,
    device: str,
    stopping: Stopping,
    seed: int,
    budget: Budget,
    target_gap: float | None,
) -> Solution:
    """The best mechanism over the ordered attribute and a few others, and the bound from the blocks."""
    bound = lower_bound(workload, epsilon, objective)
    budget.bound = bound.value
    target = 0.0 if target_gap is None else bound.value * (1 + target_gap)
    arrays = arrays_on(device, layout.cells)
    search = SampledSearch(workload, layout, epsilon, objective, arrays, budget, stopping, seed, target)
    analysis, status = search.best(), search.status
    if target_gap is not None and bound.gap(objective_value(analysis, objective)) <= target_gap:
        status = Status.GAP_REACHED
    return Solution(analysis.mechanism, analysis, bound, status, DRAWN, budget.seconds, tuple(budget.history))


def refuse_large(workload: Workload) -> None:
    """Raise before the general method, which needs a matrix over the cells, is tried on too many of them."""
    cells = workload.shape[1]
    if cells**2 <= DENSE_LIMIT:
        return
    most = int(DENSE_LIMIT**0.5)
    if workload.interactions is not None or workload.ordered_interactions is not None:
        advice = (
            "Leave out max_outputs, the prior and method: attributes are then drawn at random, however many they are."
        )
    else:
        advice = (
            "Beyond, queries may be marginals, parities and histograms, and their products with others (ranges) on one "
            "attribute. Use these, or fewer attributes, or coarser bins."
        )
    raise TooLarge(f"the domain of {workload.name!r}", f"{format_size(cells)} cells", f"at most {most:,}", advice)


def general_method_note(workload: Workload) -> str:
    """What a workload over several attributes has in it that only the general method can design for; or nothing."""
    if workload.interactions is not None or sum(size > 1 for size in workload.sizes) < 2:
        return ""
    names = [family.name for family in workload.families if family.workload.interactions is None]
    verb = "is" if len(names) == 1 else "are"
    return (
        f"{', '.join(names)} {verb} not invariant under shifts of all values (ranges): designed by the general method."
    )
