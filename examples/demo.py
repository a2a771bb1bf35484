"""The whole way on the bundled survey: design, simulate, estimate, compare with the truth, write a page.

    python examples/demo.py --out demo

The people are synthetic (commute/population.py says how they are made), so the truth is known. The design is cut
short to fit into half a minute: lowkey's default (4 reports a combination, until nothing improves) takes minutes and
is better still.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from commute.population import People, draw
from rich.console import Console
from rich.rule import Rule

import lowkey as lk
from lowkey.report import Results, repeat, write_page
from lowkey.report.formats import people
from lowkey.report.tables import Table, accuracy_table, answers_table, competitors_table, design_table

SURVEY = Path(__file__).parent / "commute" / "survey.toml"
USERS = 100_000
ITERATIONS = 60
SECONDS = 40.0  # for the design
REPEATS = 200
REPORTS_PER_COMBINATION = 10  # a file of a handy size
CONFIDENCE = 0.95
ROWS = 12  # of a family's answers in the terminal; the page has all


def main() -> None:
    options = _options()
    started = time.perf_counter()
    console = Console(width=None if sys.stdout.isatty() else 100, highlight=False)
    survey = lk.load_survey(SURVEY)
    _title(console, f"The survey: {survey.name}")
    _describe(console, survey)

    _title(console, "The design: a mechanism for exactly these questions")
    solution = design(survey, options.iterations)
    population = draw(survey.schema, options.users, options.seed)
    results = collect(survey, solution, population, options.repeats, options.seed)
    _tell_design(console, results, solution)

    _title(console, f"The answers: {people(options.users)} simulated people report once each")
    for family in results.families:
        console.print(answers_table(family, ROWS).to_rich())
    _title(console, "Did it hold what was promised?")
    _tell(console, accuracy_table(results))

    page = write_page(results, Path(options.out) / "index.html")
    _title(console, f"Done in {time.perf_counter() - started:.0f} s")
    console.print(f"With pictures: {page.resolve().as_uri()}", soft_wrap=True)


def design(survey: lk.Survey, iterations: int) -> lk.Solution:
    """The survey's mechanism, with few enough reports that 200 collections are simulated in seconds."""
    return lk.optimize(
        survey.workload,
        survey.epsilon,
        time_limit=SECONDS,
        max_outputs=REPORTS_PER_COMBINATION * survey.schema.size,
        iterations=iterations,
        progress=sys.stderr.isatty() or None,
    )


def collect(survey: lk.Survey, solution: lk.Solution, population: People, repeats: int, seed: int) -> Results:
    """One simulated collection with both estimates, and the same again `repeats` times for the intervals' sake."""
    deployment = lk.deploy(survey.schema, survey.workload, solution.mechanism)
    counts = lk.simulate(deployment, population, seed)
    return Results(
        title=survey.name,
        deployment=deployment,
        design=solution.analysis,
        bound=solution.bound,
        competitors=lk.compare(survey.workload, survey.epsilon),
        estimate=lk.estimate(deployment, counts, confidence=CONFIDENCE),
        consistent=lk.estimate(deployment, counts, method="wnnls", total=counts.users),
        truth=population.astype(float),
        repeats=repeat(deployment, population, repeats, seed + 1, CONFIDENCE),
    )


def _describe(console: Console, survey: lk.Survey) -> None:
    for attribute in survey.schema:
        console.print(f"  {attribute.name:<10}{', '.join(map(str, attribute.labels))}")
    queries, cells = survey.workload.shape
    console.print(f"\n{cells:,} combinations, {queries:,} queries, ε = {survey.epsilon:g}.")


def _tell_design(console: Console, results: Results, solution: lk.Solution) -> None:
    console.print(
        f"{solution.mechanism.shape[0]:,} possible reports, found in {len(solution.history):,} iterations and "
        f"{solution.seconds:.0f} s ({solution.status.value}). {solution.advice}"
    )
    _tell(console, design_table(results))
    console.print(f"For a standard error of {100 * results.target:g} percentage points of an average query:")
    _tell(console, competitors_table(results))
    console.print(
        f"Proved by the {solution.bound.kind}: none can do with fewer than {people(results.people_at_least)}."
    )


def _tell(console: Console, table: Table) -> None:
    console.print(table.to_rich())


def _title(console: Console, text: str) -> None:
    console.print()
    console.print(Rule(text, align="left", style="dim"))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Design, simulate and estimate the example survey.")
    parser.add_argument("--out", default="demo", help="folder of the page (default: %(default)s)")
    parser.add_argument("--users", type=int, default=USERS, help="simulated people (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help="of the optimizer (default: %(default)s)")
    parser.add_argument(
        "--repeats", type=int, default=REPEATS, help="simulations for the coverage (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
