"""plan: of privacy, people and error, the third that follows from the other two."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass

from lowkey.checks import check_epsilon, check_size
from lowkey.errors import InvalidInput, NotAvailable
from lowkey.mechanisms.base import MOST_PEOPLE
from lowkey.optimize.budget import Budget, ProgressCallback, check_time_limit
from lowkey.optimize.designs import SHORT, Design, Designs
from lowkey.optimize.progress import listener
from lowkey.optimize.projected_gradient import Status
from lowkey.optimize.solution import Solution
from lowkey.workloads.base import Workload

LOWEST_EPSILON, HIGHEST_EPSILON = 2.0**-6, 16.0  # where an unknown ε is looked for
LEAST_ERROR, MOST_ERROR = 1e-9, 1e6
AIM = 0.99  # share of the variance allowed that the search for ε aims at,
CLOSE = 0.98  # and from which on it is satisfied: an error of 99% of the one asked for
NEARLY_EQUAL = 1.002  # two values of ε between which none is looked for
MOST_ROUNDS = 10
ROUNDING = 1e-12  # 75.00000000000001 people are 75
AROUND_EPSILON = (0.5, math.sqrt(0.5), math.sqrt(2.0), 2.0)
AROUND_ERROR = (0.5, math.sqrt(0.5), 1.0, math.sqrt(2.0), 2.0)
AROUND_USERS = (0.25, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class PlanPoint:
    """One possible survey: so many people at this ε give this error."""

    epsilon: float
    users: int
    error: float


@dataclass(frozen=True)
class Plan:
    """The answer, what it solved for ("epsilon", "users" or "error"), the points around it, and the design for it."""

    answer: PlanPoint
    solved: str
    curve: tuple[PlanPoint, ...]
    solution: Solution

    @property
    def epsilon(self) -> float:
        return self.answer.epsilon

    @property
    def users(self) -> int:
        return self.answer.users

    @property
    def error(self) -> float:
        """Root mean squared error of an average query as a share of the users, in the worst case."""
        return self.answer.error


def plan(
    workload: Workload,
    *,
    epsilon: float | None = None,
    users: int | None = None,
    error: float | None = None,
    method: str = "auto",
    seed: int = 0,
    time_limit: float | None = None,
    device: str = "auto",
    progress: bool | ProgressCallback | None = None,
) -> Plan:
    """Solve for the one of (ε, users, error) that is not given, with the best mechanism that `optimize` finds.

    error: root mean squared error of an average query as a share of the users, in the worst case: the square root
        of the paper's normalized variance α, so that users = worst_case/(p·error²). 0.02 is ±2% of the users.
        Families with weights count by them, see `lowkey.analysis.per_query`.
    time_limit: seconds for everything. An unknown ε takes about a dozen optimizations, most of them short.

    An unknown ε is looked for from 1/64 to 16. The one returned has a design whose own analysis gives at most the
    error asked for, usually 99% of it or more. Its curve varies ε for the same users, by shorter optimizations; the
    other curves vary error or users for the same design.

    >>> import lowkey as lk
    >>> plan(lk.workloads.histogram(2), epsilon=1.0, error=0.1).users
    93
    """
    solved = _the_unknown(epsilon=epsilon, users=users, error=error)
    with listener(progress, check_time_limit(time_limit)) as callback:
        designs = Designs(workload, method, seed, device, Budget(check_time_limit(time_limit), callback))
        if solved == "epsilon":
            return _solve_epsilon(designs, _check_users(users), _check_error(error))
        if solved == "users":
            return _solve_users(_check_error(error), designs.cold(check_epsilon(epsilon)))
        return _solve_error(_check_users(users), designs.cold(check_epsilon(epsilon)))


def _with_users(design: Design, users: int) -> PlanPoint:
    return PlanPoint(design.epsilon, users, math.sqrt(design.variance / users))


def _with_error(design: Design, error: float) -> PlanPoint:
    needed = design.variance / error**2
    return PlanPoint(design.epsilon, max(math.ceil(needed * (1 - ROUNDING)), 1), error)


def _solve_users(error: float, design: Design) -> Plan:
    curve = tuple(_with_error(design, error * factor) for factor in AROUND_ERROR)
    return Plan(_with_error(design, error), "users", curve, design.solution)


def _solve_error(users: int, design: Design) -> Plan:
    around = sorted({max(round(users * factor), 1) for factor in AROUND_USERS})
    return Plan(_with_users(design, users), "error", tuple(_with_users(design, one) for one in around), design.solution)


def _solve_epsilon(designs: Designs, users: int, error: float) -> Plan:
    design = _search(designs, users * error**2)
    inside = [factor for factor in AROUND_EPSILON if LOWEST_EPSILON <= factor * design.epsilon <= HIGHEST_EPSILON]
    around = [design]
    for place, factor in enumerate(inside):
        around.append(_neighbour(designs, design, factor * design.epsilon, 1 / (len(inside) - place)))
    curve = sorted((_with_users(one, users) for one in around), key=lambda point: point.epsilon)
    return Plan(_with_users(design, users), "epsilon", tuple(curve), design.solution)


def _neighbour(designs: Designs, design: Design, epsilon: float, share: float) -> Design:
    """The better of two short optimizations, one from the design and one from the optimizer's own starts."""
    warm = _uninterrupted(designs.warm(design, epsilon, share / 2, SHORT))
    cold = _uninterrupted(designs.cold(epsilon, share / 2, SHORT))
    return min(warm, cold, key=lambda one: one.variance)


def _search(designs: Designs, allowed: float) -> Design:
    """The design of the smallest ε found whose variance per query is at most `allowed`.

    Along the optimum variance · sinh²(ε/2) hardly changes with ε, so each design tells how far away the answer is.
    Where two designs contradict that (the optimizer's luck differs), the middle between them is tried.
    """
    last = _uninterrupted(designs.cold(1.0, 0.1, SHORT))
    best, missed = None, LOWEST_EPSILON
    for attempt in range(MOST_ROUNDS):
        epsilon = _next_epsilon(last, AIM * allowed, missed, best.epsilon if best else HIGHEST_EPSILON)
        last = _uninterrupted(designs.warm(last, epsilon, 0.25) if attempt else designs.cold(epsilon, 0.4))
        if last.variance <= allowed:
            best = last
            if last.variance >= CLOSE * allowed or epsilon == LOWEST_EPSILON:
                break
        else:
            missed = epsilon
        if missed * NEARLY_EQUAL > (best.epsilon if best else HIGHEST_EPSILON):
            break
    if best is None:
        raise _out_of_reach(last, allowed)
    return best


def _next_epsilon(design: Design, variance: float, missed: float, met: float) -> float:
    """The ε at which designs like this one have the variance, or the middle of the range where it lies outside."""
    reach = math.sinh(design.epsilon / 2) * math.sqrt(design.variance / variance)
    guess = 2 * math.asinh(reach)
    if missed < guess < met:
        return guess
    is_limit = (guess <= missed == LOWEST_EPSILON) or (guess >= met == HIGHEST_EPSILON)
    return min(max(guess, missed), met) if is_limit else math.sqrt(missed * met)


def _uninterrupted(design: Design) -> Design:
    """Half a search is no answer: pass Ctrl-C on."""
    if design.solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return design


def _out_of_reach(design: Design, allowed: float) -> NotAvailable:
    more = design.variance / allowed
    if design.epsilon == HIGHEST_EPSILON:
        arrived = f"not to be had from so few people: ε = {HIGHEST_EPSILON:g} would take {more:,.3g} times as many"
        advice = "Ask more people, or accept a larger error."
    else:
        arrived = (
            f"not reached in time: the last design, for ε = {design.epsilon:.4g}, needs {more:.3g} times the people"
        )
        advice = "Give a longer time_limit."
    return NotAvailable("the error asked for", arrived, "one that some ε gives", advice)


def _the_unknown(**given: object) -> str:
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        there = [name for name, value in given.items() if value is not None]
        arrived = f"{there[0]} alone" if len(there) == 1 else ("all three" if there else "none of them")
        expected = "exactly two of epsilon, users and error"
        raise InvalidInput("what plan was given", arrived, expected, "It solves for the third.")
    return missing[0]


def _check_users(users: object) -> int:
    people = check_size("users", users)
    if people > MOST_PEOPLE:
        raise InvalidInput("users", people, f"at most 2^53 ({MOST_PEOPLE:,})")
    return people


def _check_error(error: object) -> float:
    expected = f"a share of the users from {LEAST_ERROR:g} to {MOST_ERROR:g}"
    is_number = isinstance(error, numbers.Real) and not isinstance(error, bool)
    if not is_number or not LEAST_ERROR <= float(error) <= MOST_ERROR:  # type: ignore[arg-type]
        raise InvalidInput("error", error, expected, "0.02 means ±2% of the users.")
    return float(error)  # type: ignore[arg-type]
