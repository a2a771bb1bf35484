"""What the tests of the experiments share: a grid of seconds, and rows without computing them."""

from __future__ import annotations

from lowkey.experiments import Outcome, Row, Settings, Task

TINY = Settings(workloads=("histogram", "prefix"), epsilons=(1.0,), sizes=(4,), time_limit=2.0)


def row(task: Task, worst_case: float | None = 1.0, **outcome: object) -> Row:
    """A row with made-up numbers; a hundred people a unit of variance."""
    people = None if worst_case is None else 100 * worst_case
    found = Outcome("exact", people, worst_case, **outcome)  # type: ignore[arg-type]
    return Row(task, found, "a machine, with commas", "0.0", "2026-01-02")
