"""Designs for one workload at several ε: each optimization can start from what another one found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import array_api_compat.numpy
import numpy as np

from lowkey.analysis.per_query import query_variance
from lowkey.checks import Matrix
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.optimize.budget import Budget, Progress, ProgressCallback
from lowkey.optimize.optimize import optimize
from lowkey.optimize.projected_gradient import Stopping
from lowkey.optimize.projection import feasible_floor, project
from lowkey.optimize.seal import seal
from lowkey.optimize.solution import Solution
from lowkey.workloads.base import Workload

FULL, SHORT = Stopping(), Stopping(iterations=100, tolerance=1e-3)


@dataclass(frozen=True)
class Design:
    """An optimized mechanism at ε."""

    epsilon: float
    solution: Solution

    @property
    def variance(self) -> float:
        """Per user, of an average query, in the worst case."""
        return query_variance(self.solution.analysis)


@dataclass(frozen=True)
class Designs:
    """What all optimizations share; their time limits are shares of what is left of the budget's."""

    workload: Workload
    method: str
    seed: int
    device: str
    budget: Budget

    def cold(self, epsilon: float, share: float = 1.0, stopping: Stopping = FULL) -> Design:
        """From the optimizer's own starts."""
        return self._optimize(epsilon, self.method, None, share, stopping)

    def warm(self, design: Design, epsilon: float, share: float, stopping: Stopping = FULL) -> Design:
        """From the design for another ε."""
        if self.method == "auto":  # its patterns do for any ε
            return self._optimize(epsilon, "auto", design.solution.mechanism, share, stopping)
        start = stretched(design.solution.mechanism.to_dense(), design.epsilon, epsilon)
        return self._optimize(epsilon, "projected-gradient", start, share, stopping)

    def _optimize(
        self, epsilon: float, method: str, start: Mechanism | None, share: float, stopping: Stopping
    ) -> Design:
        solution = optimize(
            self.workload,
            epsilon,
            method=method,
            seed=self.seed,
            time_limit=self._time_limit(share),
            deployable=True,
            device=self.device,
            progress=self._listener(epsilon),
            start=start,
            iterations=stopping.iterations,
            tolerance=stopping.tolerance,
        )
        return Design(epsilon, solution)

    def _time_limit(self, share: float) -> float | None:
        if self.budget.time_limit is None:
            return None
        return max(share * (self.budget.time_limit - self.budget.seconds), 1e-3)

    def _listener(self, epsilon: float) -> ProgressCallback | None:
        callback = self.budget.callback
        if callback is None:
            return None

        def tell(moment: Progress) -> None:
            callback(replace(moment, seconds=self.budget.seconds, stage=f"ε = {epsilon:.4g}, {moment.stage}"))

        return tell


def stretched(strategy: Matrix, epsilon: float, new_epsilon: float) -> Mechanism:
    """A strategy for ε made one for another ε': each row's ratios to the power ε'/ε, then the nearest private one.

    Optimal strategies for different ε are alike in which types an output prefers; only how strongly is ε's affair.
    """
    xp = array_api_compat.numpy
    target = strategy ** (new_epsilon / epsilon)
    target = target / target.sum(axis=0)
    ratio = math.exp(new_epsilon)
    floor = feasible_floor(np.sqrt(target.max(axis=1) * target.min(axis=1) / ratio), ratio, xp)
    private = seal(project(target, floor, ratio, xp).strategy, new_epsilon)
    return DenseMechanism(private, new_epsilon, name=f"the design for ε = {epsilon:.4g}")
