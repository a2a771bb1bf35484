"""The search for patterns over the ordered attribute and a few slots: that of the certified method, with symmetry.

Averaged over the attributes that slots stand for, their order and all shifts, a mechanism tells about the whole
workload what its patterns tell about one over the slots alone (`analysis/slot_grams.py`): the same convex problem,
with fewer patterns, each of which stands for its images.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lowkey.analysis.variance import Analysis, analyze
from lowkey.checks import Matrix, Vector
from lowkey.errors import LowkeyError
from lowkey.mechanisms.sampled import SampledMechanism
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.mechanisms.two_level import high_level
from lowkey.optimize.arrays import Array, Arrays
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import is_even, objective_value
from lowkey.optimize.column_generation import Limits, Run
from lowkey.optimize.finish import BLENDS, NEGLIGIBLE, exact_weights
from lowkey.optimize.gaussian_start import gaussian_patterns
from lowkey.optimize.information import TRACES, Point, Problem, problem_on
from lowkey.optimize.pricing import climb
from lowkey.optimize.projected_gradient import Status, Stopping
from lowkey.optimize.sampled.layout import Layout
from lowkey.optimize.sampled.rows import Sweep, candidate_rows
from lowkey.optimize.symmetry import symmetry_of
from lowkey.optimize.two_level_search import CONFIRMED, REFINING
from lowkey.optimize.weights import Design
from lowkey.workloads.base import Workload

STARTS, MOST = 2, 4  # patterns to start with and at most, a cell


@dataclass
class SampledRun(Run):
    """A run whose patterns climb by whole rows too."""

    parents_per_cell: int = 1

    def climbed(self, levels: Array, prior: Array, point: Point, tangents: int, flips: int) -> tuple[Array, Array]:
        symmetry = self.problem.symmetry
        assert symmetry is not None
        better, _ = climb(self.problem, levels, prior, point, tangents, flips)
        rows = candidate_rows(self.problem, better, symmetry.cells, self.rng)
        sweep = Sweep(self.problem, better, prior, point, rows)
        for value in self.rng.permutation(symmetry.values).tolist():
            sweep.row(value)
        return sweep.levels, sweep.surplus


@dataclass
class SampledSearch:
    """One search; `status` says how it ended."""

    workload: Workload
    layout: Layout
    epsilon: float
    objective: str
    arrays: Arrays
    budget: Budget
    stopping: Stopping
    seed: int
    target: float = 0.0
    status: Status = Status.CONVERGED

    def best(self) -> Analysis:
        """The best mechanism found, analysed; further rounds follow until the analysis confirms the run's own value."""
        limits = Limits(MOST * self.layout.cells, self.stopping.iterations, self.stopping.tolerance, self.target)
        run = SampledRun(self._problem(), self.objective == "worst", self.budget, np.random.default_rng(self.seed))
        design = self._start(run.problem)
        run.improve(design, limits)
        self.status = run.status
        found = self._analysed(run.problem, run.best or design)
        for trace in TRACES[1:] if run.problem.blind is not None else ():
            ended = run.status is Status.INTERRUPTED or self.budget.is_spent or run.best is None
            if ended or self._value(found) <= run.value * (1 + CONFIRMED):
                break
            run = replace(run, problem=replace(run.problem, trace=trace), values=[], value=float("inf"))
            assert run.best is not None
            run.improve(run.best, replace(limits, rounds=REFINING))
            found = min(found, self._analysed(run.problem, run.best), key=self._value)
        return found

    def _value(self, analysis: Analysis) -> float:
        return objective_value(analysis, self.objective)

    def _problem(self) -> Problem:
        layout, arrays = self.layout, self.arrays
        symmetry = symmetry_of(layout.values, layout.slot_sizes, layout.draws, arrays)
        problem = problem_on(layout.gram, self.epsilon, arrays)
        return replace(problem, symmetry=symmetry, squares=arrays.put(layout.squares))

    def _start(self, problem: Problem) -> Design:
        """Gaussian patterns, and those of a single cell."""
        gaussian = gaussian_patterns(self.layout.gram, self.epsilon, STARTS * problem.cells, self.seed, self.arrays)
        patterns = np.vstack([gaussian, self._single_cells()])
        means = self._means(patterns)
        weights = np.full(len(patterns), 1 / means.mean(axis=1).sum())
        put, cells = self.arrays.put, problem.cells
        return Design(problem.levels(put(patterns)), put(weights), put(np.full(cells, 1 / cells)))

    def _single_cells(self) -> Patterns:
        """One for each value: their images are all cells."""
        step = self.layout.cells // self.layout.values
        cells: Patterns = np.arange(self.layout.cells) == step * np.arange(self.layout.values)[:, None]
        return cells

    def _means(self, patterns: Patterns) -> Matrix:
        """Of the levels over the slots: (patterns, values)."""
        levels = np.where(patterns, high_level(self.epsilon), 1.0)
        means: Matrix = levels.reshape(len(patterns), self.layout.values, -1).mean(axis=2)
        return means

    def _analysed(self, problem: Problem, design: Design) -> Analysis:
        """The design as a mechanism, with as much of the simplest one as no query is lost with."""
        fetch, failure = self.arrays.fetch, None
        patterns, weights = fetch(design.levels) > (1 + problem.high) / 2, fetch(design.weights)
        kept = weights > NEGLIGIBLE * weights.max()
        prior = fetch(design.prior).reshape(self.layout.values, -1).sum(axis=1)
        for blend in BLENDS:
            try:
                mechanism = self._mechanism(patterns[kept], weights[kept], prior, blend)
                return analyze(self.workload, mechanism)
            except LowkeyError as error:
                failure = error
        assert failure is not None
        raise failure

    def _mechanism(self, patterns: Patterns, weights: Vector, prior: Vector, blend: float) -> SampledMechanism:
        layout = self.layout
        if blend > 0:
            single = self._single_cells()
            share = np.full(len(single), blend / self._means(single).mean(axis=1).sum())
            patterns, weights = np.vstack([patterns, single]), np.append((1 - blend) * weights, share)
        return SampledMechanism(
            layout.ordered.sizes,
            layout.ordered.attribute,
            layout.pools,
            patterns.reshape(len(patterns), layout.values, *layout.slot_sizes),
            exact_weights(self._means(patterns), weights),
            self.epsilon,
            "optimized",
            None if is_even(prior) else prior,
        )
