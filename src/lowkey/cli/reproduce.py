"""lowkey reproduce: the paper's figures, computed again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from lowkey.cli.failures import INTERRUPTED
from lowkey.cli.options import ADevice, AsJson, Device
from lowkey.cli.output import is_watched, print_json, show
from lowkey.errors import InvalidInput
from lowkey.experiments import Experiment, Moment, Reproduction, Settings, Task, experiment, names
from lowkey.experiments import reproduce as run
from lowkey.experiments.settings import FULL_SECONDS, QUICK_SECONDS

Figures = Annotated[list[str], typer.Argument(help=f"Which: {', '.join(names())}.", show_default=False)]
Out = Annotated[Path, typer.Option("--out", "-o", help="Folder for the table and the pictures.")]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        help=f"Seconds for each optimization; inf for no limit. [default: {FULL_SECONDS:g}, quick {QUICK_SECONDS:g}]",
        show_default=False,
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="Small domains, for a taste in a minute or two.")]
DrawOnly = Annotated[
    bool, typer.Option("--draw-only", help="Compute nothing; draw the best rows there, whatever their settings.")
]
Some = Annotated[str | None, typer.Option(help="Only these, with commas between.", show_default=False)]


def reproduce(
    figures: Figures,
    out: Out = Path("experiments/results"),
    device: ADevice = Device.AUTO,
    time_limit: TimeLimit = None,
    sizes: Some = None,
    epsilons: Some = None,
    workloads: Some = None,
    mechanisms: Some = None,
    quick: Quick = False,
    draw_only: DrawOnly = False,
    as_json: AsJson = False,
) -> None:
    """Compute the paper's figures again.

    Each figure becomes a table (CSV, a row for each workload, ε, n and mechanism) and a picture (SVG and PNG, light
    and dark). Rows that the table has are not computed again: Ctrl-C may come at any time, and the same command goes
    on from there.

    Example:

        lowkey reproduce figure1 figure2 --quick
    """
    options = {
        "time_limit": time_limit,
        "device": device.value,
        "sizes": _listed("--sizes", sizes, int),
        "epsilons": _listed("--epsilons", epsilons, float),
        "workloads": _listed("--workloads", workloads, str),
        "mechanisms": _listed("--mechanisms", mechanisms, str),
    }
    chosen = [experiment(name) for name in dict.fromkeys(figures)]
    grids = [(one.quick if quick else one.full).changed(**options) for one in chosen]
    found = [_reproduced(*one, out, quick, draw_only, as_json) for one in zip(chosen, grids, strict=True)]
    if as_json:
        print_json({"figures": [_record(one, result) for one, result in zip(chosen, found, strict=True)]})


def _listed(option: str, text: str | None, read: Callable[[str], object]) -> tuple[object, ...] | None:
    """ "8,16" as a tuple."""
    try:
        return None if text is None else tuple(dict.fromkeys(read(part.strip()) for part in text.split(",")))
    except ValueError as error:
        raise InvalidInput(option, text, "numbers with commas between") from error


def _reproduced(
    chosen: Experiment, settings: Settings, out: Path, is_quick: bool, is_drawn_only: bool, as_json: bool
) -> Reproduction:
    name = f"{chosen.name}-quick" if is_quick else chosen.name
    try:
        with _watching(name, as_json) as progress:
            found = run(chosen, settings, out, name, progress, is_drawn_only)
    except KeyboardInterrupt:
        print(f"Interrupted. The rows so far are in {out / name}.csv; the same command goes on.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if found.undrawn:
        print(f"No pictures: {found.undrawn}", file=sys.stderr)
    if not as_json:
        computed = f"{len(found.rows):,} rows, {found.computed:,} of them computed now."
        show(chosen.table(found.rows), computed, *(f"Wrote {path}" for path in found.files))
    return found


@contextmanager
def _watching(name: str, is_silent: bool) -> Iterator[Callable[[Moment], None]]:
    """A bar if somebody watches, and a line for each row computed, which a log keeps."""
    if is_silent:
        yield lambda moment: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not is_watched()) as bar:
        task = bar.add_task(name)

        def progress(moment: Moment) -> None:
            bar.update(task, description=_words(moment.task), completed=moment.done, total=moment.total)
            if moment.row is not None:
                print(f"{name} {moment.done}/{moment.total} {_line(moment)}", file=sys.stderr, flush=True)

        yield progress


def _words(task: Task) -> str:
    return f"{task.workload} ε={task.epsilon:g} n={task.n} {task.mechanism}"


def _line(moment: Moment) -> str:
    outcome = moment.row.outcome if moment.row else None
    if outcome is None or outcome.seconds is None:
        return f"{_words(moment.task)}: {outcome.note if outcome else ''}"
    return f"{_words(moment.task)}: {outcome.status}, {outcome.seconds:.1f} s"


def _record(chosen: Experiment, found: Reproduction) -> dict[str, object]:
    files: Sequence[str] = [str(path) for path in found.files]
    rows = [row.to_record() for row in found.rows]
    return {"name": chosen.name, "title": chosen.title, "computed": found.computed, "files": files, "rows": rows}
