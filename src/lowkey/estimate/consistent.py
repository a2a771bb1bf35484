"""WNNLS (the paper's appendix A): the non-negative cells whose answers come closest to the unbiased ones.

    minimise ½‖W x − W x̂‖² = ½ (x − x̂)ᵀ G (x − x̂)   over x ≥ 0, and 1ᵀx = total where that is given.

Only Gram products are needed. The paper uses L-BFGS-B, which on ill-conditioned workloads (prefix, all ranges) is
still some 1e-4 away after a thousand steps and knows no total. S. Mehrotra's predictor-corrector interior point
method (SIAM J. Optim. 1992) takes 8 to 20 Cholesky factors of G + Diag(z/x) for a Gram matrix of any rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from lowkey.checks import Matrix, Vector
from lowkey.errors import NotConverged
from lowkey.workloads.base import Workload

TARGET = 1e-7  # certified relative distance of the answers from the best ones at which to stop
ACCEPTED = 1e-5  # the largest one that is handed out
MOST_STEPS = 100
PATIENCE = 5  # steps without progress that are allowed
RIDGE = 1e-14  # against the mean diagonal entry of G: keeps the factor positive definite under rounding
BOUNDARY = 0.995  # the share of the way to the nearest bound that a step takes
SMALLEST = 1e-300

Solver = Callable[[Vector], Vector]


@dataclass(frozen=True)
class ConsistentCells:
    """Non-negative cells, and how far their answers can be from the best: ‖W(x − x*)‖ ≤ distance·‖W x̂‖."""

    cells: Vector
    distance: float


@dataclass(frozen=True)
class _Problem:
    """Given x̂ (`target`) and maybe the total; `size` is ‖W x̂‖, or that of the uniform answers if it is larger."""

    workload: Workload
    target: Vector
    total: float | None
    size: float

    def gradient(self, x: Vector) -> Vector:
        """G (x − x̂)."""
        return self.workload.gram_matvec(x - self.target)

    def rescaled(self, x: Vector) -> Vector:
        """x with exactly the total."""
        if self.total is None:
            return x
        scaled: Vector = x * (self.total / x.sum())
        return scaled

    def distance(self, x: Vector) -> float:
        """An upper bound on ‖W(x − x*)‖ / size for a feasible x.

        By convexity f(x) − f(x*) ≤ gᵀx − min gᵀx' over all feasible x', and ½‖W(x − x*)‖² ≤ f(x) − f(x*). With a
        free total the minimum is over totals up to twice the larger of x's and x̂'s.
        """
        gradient = self.gradient(x)
        lowest = float(gradient.min())
        if self.total is not None:
            gap = float(gradient @ x) - self.total * lowest
        else:
            gap = float(gradient @ x) - 2 * max(float(x.sum()), abs(float(self.target.sum()))) * min(lowest, 0.0)
        return math.sqrt(2 * max(gap, 0.0)) / self.size


@dataclass
class _Point:
    """Primal x > 0, dual z > 0 (the bounds' multipliers) and ν (the total's)."""

    x: Vector
    z: Vector
    multiplier: float = 0.0

    def move(self, length: float, dx: Vector, dz: Vector, dv: float) -> None:
        self.x = np.maximum(self.x + length * dx, SMALLEST)
        self.z = np.maximum(self.z + length * dz, SMALLEST)
        self.multiplier += length * dv


def consistent_cells(workload: Workload, cells: Vector, total: float | None = None) -> ConsistentCells:
    """The WNNLS cells for unbiased cells x̂, with 1ᵀx = total if given, and the proof of how good they are.

    Where the workload leaves cells undetermined, they are one of many choices with the same answers.

    >>> import numpy as np
    >>> from lowkey.workloads import histogram
    >>> consistent_cells(histogram(3), np.array([5.0, -1.0, 2.0])).cells.round(4).tolist()
    [5.0, 0.0, 2.0]
    >>> consistent_cells(histogram(3), np.array([5.0, -1.0, 2.0]), total=6).cells.round(4).tolist()
    [4.5, 0.0, 1.5]
    """
    problem = _problem(workload, cells, total)
    if problem.size == 0:  # answers of 0 all over: nobody, or everybody spread evenly, gives them
        return ConsistentCells(np.full(len(cells), (total or 0.0) / len(cells)), 0.0)
    best = _interior_point(problem, workload.gram())
    if best.distance > ACCEPTED:
        raise NotConverged(
            f"the consistent estimate is proved only to {best.distance:.1g} of the best one's answers; "
            f"expected {ACCEPTED:g}. Use method='unbiased', or leave out queries with enormous weights."
        )
    return best


def _problem(workload: Workload, cells: Vector, total: float | None) -> _Problem:
    size = _norm(workload, cells)
    if total is not None:
        size = max(size, _norm(workload, np.full(len(cells), total / len(cells))))
    return _Problem(workload, cells, total, size)


def _norm(workload: Workload, x: Vector) -> float:
    """‖W x‖."""
    return math.sqrt(max(float(x @ workload.gram_matvec(x)), 0.0))


def _interior_point(problem: _Problem, gram: Matrix) -> ConsistentCells:
    point = _start(problem, float(gram.diagonal().mean()))
    best = _feasible(problem, point)
    idle = 0
    for _ in range(MOST_STEPS):
        if best.distance <= TARGET or idle == PATIENCE:
            break
        _improve(problem, gram, point)
        found = _feasible(problem, point)
        idle = 0 if found.distance < best.distance else idle + 1
        best = found if idle == 0 else best
    return _with_zeros(problem, point, best, gram.diagonal())


def _start(problem: _Problem, curvature: float) -> _Point:
    """A little above the clipped cells; multipliers as large as the gradient."""
    n = len(problem.target)
    level = float(np.abs(problem.target).sum() if problem.total is None else problem.total) / n
    x = problem.rescaled(np.maximum(problem.target, 0.0) + max(level, SMALLEST))
    gradient = problem.gradient(x)
    return _Point(x, np.maximum(gradient, 0.0) + float(np.abs(gradient).mean()) + 1e-3 * curvature * level + SMALLEST)


def _feasible(problem: _Problem, point: _Point) -> ConsistentCells:
    x = problem.rescaled(point.x)
    return ConsistentCells(x, problem.distance(x))


def _with_zeros(problem: _Problem, point: _Point, best: ConsistentCells, diagonal: Vector) -> ConsistentCells:
    """Cells that are on their way to 0 (their multiplier outweighs them) put there, where that does no harm.

    So are cells that no query counts, unless the total does.
    """
    kept = best.cells * diagonal.mean() >= point.z
    if problem.total is None:
        kept &= diagonal > 0
    if not kept.any():
        return best
    x = problem.rescaled(np.where(kept, best.cells, 0.0))
    distance = problem.distance(x)
    return ConsistentCells(x, distance) if distance <= max(TARGET, best.distance) else best


def _improve(problem: _Problem, gram: Matrix, point: _Point) -> None:
    """One predictor-corrector step towards Gx − Gx̂ = z + ν1, 1ᵀx = total and x∘z = 0."""
    solve = _factor(gram, point.z / point.x)
    stationarity = problem.gradient(point.x) - point.z - point.multiplier
    missing = None if problem.total is None else problem.total - float(point.x.sum())
    products = point.x * point.z

    def direction(target: Vector) -> tuple[Vector, Vector, float]:
        """The Newton direction that brings x∘z to its current value plus `target`."""
        dx, dv = _solve_with_total(solve, target / point.x - stationarity, missing)
        return dx, (target - point.z * dx) / point.x, dv

    dx, dz, _ = direction(-products)
    length = min(1.0, _room(point.x, dx), _room(point.z, dz))
    centre = products.mean()
    predicted = float(np.mean((point.x + length * dx) * (point.z + length * dz)))
    dx, dz, dv = direction((predicted / centre) ** 3 * centre - products - dx * dz)
    point.move(min(1.0, BOUNDARY * _room(point.x, dx), BOUNDARY * _room(point.z, dz)), dx, dz, dv)


def _factor(gram: Matrix, weights: Vector) -> Solver:
    """v ↦ (G + Diag(weights))⁻¹ v."""
    matrix = gram.copy()
    matrix[np.diag_indices_from(matrix)] += weights + RIDGE * gram.diagonal().mean()
    factor = scipy.linalg.cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)

    def solve(vector: Vector) -> Vector:
        solution: Vector = scipy.linalg.cho_solve(factor, vector, check_finite=False)
        return solution

    return solve


def _solve_with_total(solve: Solver, right: Vector, missing: float | None) -> tuple[Vector, float]:
    """dx with M dx = right + dν 1, and dν such that 1ᵀdx = missing (0 where the total is free)."""
    own = solve(right)
    if missing is None:
        return own, 0.0
    pull = solve(np.ones_like(right))
    dv = (missing - float(own.sum())) / float(pull.sum())
    return own + dv * pull, dv


def _room(value: Vector, change: Vector) -> float:
    """How many times `change` may be added before a value turns negative."""
    falling = change < 0
    return float((value[falling] / -change[falling]).min()) if falling.any() else math.inf
