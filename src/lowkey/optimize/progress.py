"""What a person sees while an optimization runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from lowkey.errors import InvalidInput
from lowkey.optimize.budget import Progress as Moment
from lowkey.optimize.budget import ProgressCallback


@contextmanager
def listener(progress: bool | ProgressCallback | None, time_limit: float | None) -> Iterator[ProgressCallback | None]:
    """The callback behind `progress`: None is silent, True a bar on the terminal, a function is called each time."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        with _bar(time_limit) as callback:
            yield callback
    elif callable(progress):
        yield progress
    else:
        raise InvalidInput("progress", progress, "True, a function of a Progress, or None")


def _value(moment: Moment) -> str:
    """The variance, and how far it may be above the best possible where that says something."""
    gap = f", at most {moment.gap:.1%} above the best" if moment.gap < 10 else ""
    return f"{moment.value:,.6g}{gap}"


@contextmanager
def _bar(time_limit: float | None) -> Iterator[ProgressCallback]:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("variance per user {task.fields[value]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=time_limit, value="…")

        def show(moment: Moment) -> None:
            description = f"{moment.stage}, iteration {moment.iteration}"
            bar.update(task, description=description, completed=moment.seconds, value=_value(moment))

        yield show
