"""Repeats: the same survey many times over, to see how often its intervals hold the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lowkey.checks import Vector, check_data_vector, check_size
from lowkey.deployment import Deployment
from lowkey.estimate import estimate
from lowkey.report.known import open_queries
from lowkey.simulate import simulate


@dataclass(frozen=True, eq=False)
class Repeats:
    """How `runs` simulated collections from one population came out, per query and in shares of the people.

    `coverage` is the share of runs whose interval held the truth (NaN where the answer is known beforehand),
    `error` the root mean squared error of the unbiased answers.
    """

    runs: int
    confidence: float
    coverage: Vector
    error: Vector


def repeat(deployment: Deployment, population: object, runs: int, seed: int = 0, confidence: float = 0.95) -> Repeats:
    """Simulate and estimate `runs` collections from the same people; run i draws with the seed `seed` + i."""
    x = check_data_vector(population, deployment.schema.size, "the population")
    truth = deployment.workload.matvec(x)
    held = np.zeros(len(truth))
    squares = np.zeros(len(truth))
    for run in range(check_size("runs", runs)):
        found = estimate(deployment, simulate(deployment, x, seed + run), confidence=confidence)
        held += (found.low <= truth) & (truth <= found.high)
        squares += (found.answers - truth) ** 2
    coverage = np.where(open_queries(deployment.workload), held / runs, np.nan)
    weights = np.ones(len(truth))
    for family in deployment.workload.families:
        weights[family.start : family.stop] = family.weight
    return Repeats(runs, confidence, coverage, np.sqrt(squares / runs) / (weights * x.sum()))
