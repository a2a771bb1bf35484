"""The page's sentences, made of the results."""

from __future__ import annotations

import importlib.metadata
import math
from typing import NamedTuple

import numpy as np

from lowkey.analysis.per_query import users_needed
from lowkey.errors import format_size
from lowkey.report.formats import factor, people, points, share, words
from lowkey.report.results import FamilyResult, Results, root_mean_square
from lowkey.report.tables import coverage


class Fact(NamedTuple):
    """A number to remember and what it means."""

    value: str
    meaning: str


def lead(results: Results) -> str:
    """The line below the title."""
    queries, cells = results.deployment.workload.shape
    asked = f"{queries:,} queries over {format_size(cells)} combinations of answers"
    kind = "simulated people" if results.truth is not None else "people"
    return f"{asked}, estimated from one random report of each of {people(results.users)} {kind}."


def facts(results: Results) -> list[Fact]:
    """The numbers at the top."""
    found = [
        Fact(people(results.users), "people, each reporting once"),
        Fact(f"{results.deployment.epsilon:g}", "privacy budget ε of a report"),
        Fact(points(typical_error(results)), "standard error of an answer, root mean square"),
    ]
    best = results.best_competitor
    if best is not None and best.analysis is not None:
        ratio = best.analysis.worst_case / results.design.worst_case
        meaning = f"as many people would be needed with {words(best.name)}, the best other mechanism"
        found.append(Fact(factor(ratio), meaning))
    return found


def typical_error(results: Results) -> float:
    """Root mean square of the answers' estimated standard errors, as a share of the people; known answers left out."""
    errors = []
    for one in results.families:
        family = one.family
        own = results.estimate.standard_errors[family.start : family.stop] / (family.weight * results.users)
        errors.append(own[one.is_open])
    joined = np.concatenate(errors)
    return root_mean_square(joined) if joined.size else 0.0


def privacy(results: Results) -> str:
    """What a person sends, and what that gives away."""
    deployment = results.deployment
    odds, cells = f"{math.exp(deployment.epsilon):.3g}", format_size(deployment.schema.size)
    return (
        f"Everybody's answers fall into one of {cells} combinations. A person's device draws one of "
        f"{deployment.outputs:,} possible reports at random, with probabilities that depend on the combination, and "
        "sends the number of that report, nothing else. Whatever is sent, no combination makes it more than "
        f"exp(ε) ≈ {odds} times as likely as any other does. This is ε-local differential privacy: it protects a "
        "person from everybody, from those who run the survey too."
    )


def need(results: Results) -> str:
    """How the survey's mechanism compares."""
    goal = f"{100 * results.target:g} percentage points"
    text = (
        f"For a standard error of {goal} (of an average query, families counting by their weights, for whichever "
        f"people suffer most) this survey's mechanism needs {people(results.people_needed)} people."
    )
    best = results.best_competitor
    if best is not None and best.analysis is not None:
        needed = people(users_needed(best.analysis, results.alpha))
        text += f" The best of the others that keep the same promise, {words(best.name)}, needs {needed}."
    if results.people_at_least > 0:
        text += (
            f" It is proved ({results.bound.kind}) that no such mechanism can do with fewer than "
            f"{people(results.people_at_least)}; the bound may be far from what is possible."
        )
    if any(one.analysis is not None and one.analysis.mechanism.delta for one in results.competitors):
        text += " Hollow dots keep only the weaker promise of (ε, δ)-privacy."
    return text


def checked(results: Results) -> str:
    """What the comparison with the truth says."""
    held = sum(int((one.holds & one.is_open).sum()) for one in results.families)
    asked = sum(int(one.is_open.sum()) for one in results.families)
    level = f"{100 * results.estimate.confidence:g}%"
    text = (
        f"The people here are simulated, so the truth is known. Of {asked:,} intervals at {level} confidence, "
        f"{held:,} hold it."
    )
    if results.repeats is not None:
        text += (
            f" Repeating the survey {results.repeats.runs:,} times with the same people, "
            f"{coverage(results.repeats.coverage)} of the intervals do."
        )
    return text + (
        " Errors are root mean squares over a family's queries, in percentage points of all people; “designed” is "
        "the exact expectation before anybody is asked, for whichever people suffer most."
    )


def reading(results: Results) -> str:
    """How to read the pictures and tables."""
    level = f"{100 * results.estimate.confidence:g}%"
    text = (
        f"Shares of all people, estimated without bias, with {level} intervals. A small share can come out below zero: "
        "that is chance, and cutting it off would bias every sum. Ranges of numbers contain their lower end and not "
        "their upper one."
    )
    if results.consistent is not None:
        text += (
            " The consistent estimates in the tables are never negative and never contradict each other; they are "
            "usually closer to the truth, but biased, and no honest interval is known for them."
        )
    return text


def family_words(one: FamilyResult) -> str:
    """A family in one line."""
    count = one.family.workload.shape[0]
    text = f"{count:,} {'query' if count == 1 else 'queries'}, weight {one.family.weight:g}"
    text += f", standard error {points(one.designed_error)} by design"
    return text + (f", {points(one.error)} in this run." if one.truth is not None else ".")


def provenance(results: Results) -> list[tuple[str, str]]:
    """Where the page's numbers come from."""
    deployment = results.deployment
    return [
        (
            "Mechanism",
            f"{deployment.mechanism.name}, {deployment.outputs:,} possible reports, ε = {deployment.epsilon:g}",
        ),
        ("Deployment", f"SHA-256 {deployment.digest}"),
        ("Estimates", f"unbiased, {share(results.estimate.confidence, 0)} intervals" + _and_consistent(results)),
        ("Made with", f"lowkey {importlib.metadata.version('lowkey')}"),
    ]


def _and_consistent(results: Results) -> str:
    return "" if results.consistent is None else "; consistent by non-negative least squares (WNNLS)"
