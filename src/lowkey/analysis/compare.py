"""compare: every mechanism of the catalogue on one workload, best first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lowkey.analysis.variance import Analysis, analyze
from lowkey.checks import check_choice, check_epsilon
from lowkey.errors import InvalidInput, LowkeyError, TooLarge, format_size
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.catalogue import create, names
from lowkey.workloads.base import Workload, check_workload

MOST_CELLS = 2**20  # beyond, a closed form takes seconds to minutes, if there is room for it


@dataclass(frozen=True)
class Competitor:
    """A mechanism's result on the workload, or the reason why there is none."""

    name: str
    analysis: Analysis | None
    reason: str = ""

    @property
    def worst_case(self) -> float:
        """Variance per user; infinite where the mechanism cannot answer the workload."""
        return self.analysis.worst_case if self.analysis else float("inf")


def compare(
    workload: Workload, epsilon: float, mechanisms: Iterable[str | Mechanism] | None = None
) -> tuple[Competitor, ...]:
    """The catalogue (or the given names and mechanisms) on a workload, by worst-case variance.

    Mechanisms that do not exist for the domain or cannot answer the workload come last, with the reason.
    """
    check_workload(workload)
    epsilon = check_epsilon(epsilon)
    chosen = names() if mechanisms is None else _check_chosen(mechanisms)
    competitors = [_compete(workload, epsilon, one) for one in chosen]
    return tuple(sorted(competitors, key=lambda one: one.worst_case))


def _check_chosen(mechanisms: object) -> tuple[str | Mechanism, ...]:
    """Names and mechanisms; a name that nobody knows is a mistake and no mechanism that cannot compete."""
    if isinstance(mechanisms, str | Mechanism) or not isinstance(mechanisms, Iterable):
        raise InvalidInput("mechanisms", mechanisms, "a list of names and mechanisms", "Put a single one into a list.")
    chosen = tuple(mechanisms)
    for one in chosen:
        if not isinstance(one, Mechanism):
            check_choice("a mechanism to compare", one, names())
    return chosen


def _compete(workload: Workload, epsilon: float, chosen: str | Mechanism) -> Competitor:
    name = chosen if isinstance(chosen, str) else chosen.name
    try:
        if isinstance(chosen, str):
            refuse_many_cells(workload.shape[1])
        mechanism = create_for(workload, chosen, epsilon) if isinstance(chosen, str) else chosen
        return Competitor(name, analyze(workload, mechanism))
    except LowkeyError as error:
        return Competitor(name, None, str(error))


def refuse_many_cells(cells: int, most: int = MOST_CELLS) -> None:
    """Named mechanisms work on vectors over the cells, or on matrices."""
    if cells > most:
        raise TooLarge("the domain to compare mechanisms on", f"{format_size(cells)} cells", f"at most {most:,}")


def create_for(workload: Workload, name: str, epsilon: float) -> Mechanism:
    """A catalogue mechanism for the workload's domain; those that adapt to a workload are given this one."""
    options = {"workload": workload} if name in ADAPTS_TO_WORKLOAD else {}
    return create(name, workload.shape[1], epsilon, **options)


ADAPTS_TO_WORKLOAD = ("fourier", "matrix_mechanism_l1", "matrix_mechanism_l2", "gaussian")
