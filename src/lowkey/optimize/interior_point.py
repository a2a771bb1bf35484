"""The master problem by a primal-dual interior point: for some thousand patterns, to many digits.

The same saddle point as in `weights`. With the multipliers ν of Σ w_s s = 1 and η of 1ᵀπ = 1 and slacks y, q it is

    Sν − g = y,  w_s y_s = μ,       η − z = q,  π_u q_u = μ',       μ, μ' → 0,

reached by Newton steps. With D_su = s_u/c_s and T_st = (sᵀX⁻¹t)(sᵀMt)/(c_s c_t) the second derivatives of the objective
are 2T (weights), Diag(g)D − 2T Diag(w)D (weights and prior) and 2DᵀDiag(w)(T Diag(w) − Diag(g))D (prior). A prior that
is given leaves its part out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg

from lowkey.checks import Matrix, Vector
from lowkey.optimize.budget import Budget
from lowkey.optimize.information import Point, Problem, evaluate
from lowkey.optimize.weights import Design

MOST_STEPS = 80
TO_BOUNDARY = 0.95  # share of the way to the boundary that a step may go
OFF_BOUNDARY = 1e-4  # of its mean: what a first weight is at least
FEASIBLE = 1e-9


@dataclass(frozen=True)
class Iterate:
    """All unknowns of the equations."""

    w: Vector
    y: Vector
    pi: Vector
    q: Vector
    nu: Vector
    eta: float


def interior_point(
    problem: Problem, design: Design, worst: bool, budget: Budget, tolerance: float = 1e-10
) -> tuple[Design, Point]:
    """The best weights (and with `worst` the worst prior) for the design's patterns, to a relative `tolerance`."""
    now = _first(problem, design, worst)
    centre, prior_centre = _products(now)
    for _ in range(MOST_STEPS):
        point = _with_people(problem, design.levels, now.w, now.pi)
        if budget.is_spent or _is_solved(design.levels, now, point, tolerance, worst):
            break
        try:
            step = _newton(design.levels, now, point, centre, prior_centre, worst)
        except np.linalg.LinAlgError:  # so near the boundary that doubles see no curvature: as far as it goes
            break
        length = _length(now, step)
        now = _moved(now, step, length)
        shrink = 0.1 if length > 0.9 else 0.3 if length > 0.5 else 0.9
        centre, prior_centre = (shrink * product for product in _products(now))
    reached = Design(design.levels, now.w, now.pi)
    return reached, evaluate(problem, *reached)


def _with_people(problem: Problem, levels: Matrix, w: Vector, pi: Vector) -> Point:
    """The point with X⁻¹ in place of Y⁻: then the formulas above hold off the constraints, too."""
    point = evaluate(problem, levels, w, pi)
    inverse = point.inverse + np.outer(pi, pi)
    middle = inverse @ problem.gram @ inverse
    products = levels @ middle
    gains = (products * levels).sum(axis=1) / point.scale
    loads = (w * gains / point.scale) @ levels
    value = float((inverse * problem.gram).sum())
    return Point(value, inverse, middle, products, point.scale, gains, loads - problem.diagonal, inverse @ loads)


def _first(problem: Problem, design: Design, worst: bool) -> Iterate:
    """The design off the boundary, with multipliers that fit and slacks that make the products alike."""
    w = np.maximum(design.weights, OFF_BOUNDARY * design.weights.mean())
    pi = np.maximum(design.prior, OFF_BOUNDARY / problem.cells) if worst else design.prior
    pi = pi / pi.sum()
    point = _with_people(problem, design.levels, w, pi)
    centre = 0.1 * point.value / len(w)
    slack = design.levels @ point.multipliers - point.gains
    y = np.maximum(slack, centre / w)
    highest = float(point.variances.max())
    prior_centre = 0.01 * abs(highest) / problem.cells + 1e-300
    eta = highest + prior_centre
    return Iterate(w, y, pi, prior_centre / pi, point.multipliers, eta)


def _products(now: Iterate) -> tuple[float, float]:
    """The mean complementarity products of weights and of the prior."""
    return float(now.w @ now.y) / len(now.w), float(now.pi @ now.q) / len(now.pi)


def _is_solved(levels: Matrix, now: Iterate, point: Point, tolerance: float, worst: bool) -> bool:
    gap = float(now.w @ now.y)
    stationary = float(np.abs((levels @ now.nu - point.gains - now.y) * now.w).sum())
    feasible = float(np.abs(now.w @ levels - 1).max())
    saddle = float(point.variances.max() - now.pi @ point.variances) if worst else 0.0
    return max(gap, stationary, saddle) <= tolerance * point.value and feasible <= FEASIBLE


def _newton(levels: Matrix, now: Iterate, point: Point, centre: float, prior_centre: float, worst: bool) -> Iterate:
    """The full Newton step: directions in w, y, π, q; in ν and η the new values less the old."""
    n = levels.shape[1]
    rates = levels / point.scale[:, None]
    curvature = (rates @ point.inverse @ rates.T) * (rates @ point.middle @ rates.T)
    curvature *= point.scale[:, None] * point.scale[None, :]
    cross = now.w[:, None] * rates
    bent = curvature @ cross
    mixed = point.gains[:, None] * rates - 2 * bent
    missing = 1 - now.w @ levels
    # S Sᵀ Δw = S·missing holds in any case: added, it is the curvature that a workload of low rank does not have.
    share = 2 * float(curvature.trace()) / float((levels**2).sum())
    curvature *= 2
    curvature += share * (levels @ levels.T)
    alone = point.gains + centre / now.w + share * (levels @ missing)
    right = np.concatenate([levels, mixed, alone[:, None]], axis=1)
    solved = _solve_positive(curvature, now.y / now.w, right)
    by_nu, by_pi, free = solved[:, :n], solved[:, n:-1], solved[:, -1]
    if not worst:
        nu = _solve_square(levels.T @ by_nu, levels.T @ free - missing)
        return _with_slacks(now, free - by_nu @ nu, np.zeros(n), nu, now.eta, centre, prior_centre)
    prior_block = 2 * (cross.T @ bent - cross.T @ (point.gains[:, None] * rates)) - np.diag(now.q / now.pi)
    matrix = np.zeros((2 * n + 1, 2 * n + 1))
    matrix[:n, :n], matrix[:n, n:-1] = -levels.T @ by_nu, -levels.T @ by_pi
    matrix[n:-1, :n], matrix[n:-1, n:-1] = -mixed.T @ by_nu, prior_block - mixed.T @ by_pi
    matrix[n:-1, -1] = matrix[-1, n:-1] = -1.0
    goal = np.concatenate(
        [
            missing - levels.T @ free,
            -point.variances - prior_centre / now.pi - mixed.T @ free,
            [now.pi.sum() - 1],
        ]
    )
    answer = _solve_square(matrix, goal)
    nu, pi, eta = answer[:n], answer[n:-1], float(answer[-1])
    return _with_slacks(now, free - by_nu @ nu - by_pi @ pi, pi, nu, eta, centre, prior_centre)


def _with_slacks(
    now: Iterate, w: Vector, pi: Vector, nu: Vector, eta: float, centre: float, prior_centre: float
) -> Iterate:
    y = centre / now.w - now.y - now.y / now.w * w
    q = prior_centre / now.pi - now.q - now.q / now.pi * pi
    return Iterate(w, y, pi, q, nu - now.nu, eta - now.eta)


def _solve_positive(matrix: Matrix, diagonal: Vector, right: Matrix) -> Matrix:
    matrix[np.diag_indices_from(matrix)] += diagonal
    if not (matrix.diagonal() > 0).all():
        raise np.linalg.LinAlgError("rounding has taken the curvature")
    scale = 1 / np.sqrt(matrix.diagonal())
    matrix *= scale[:, None] * scale[None, :]
    factor = scipy.linalg.cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
    solved: Matrix = scale[:, None] * scipy.linalg.cho_solve(factor, scale[:, None] * right, check_finite=False)
    return solved


def _solve_square(matrix: Matrix, right: Vector) -> Vector:
    """By least squares where it is singular: patterns that do not span all cells leave multipliers free."""
    if not (np.isfinite(matrix).all() and np.isfinite(right).all()):
        raise np.linalg.LinAlgError("overflow")
    try:
        solved = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        solved = np.full_like(right, np.nan)
    if not np.isfinite(solved).all():
        solved = np.linalg.lstsq(matrix, right, rcond=1e-13)[0]
    return np.asarray(solved, dtype=np.float64)


def _length(now: Iterate, step: Iterate) -> float:
    """How far the step can go with every weight, slack and prior still positive."""
    room = 1.0
    for value, change in ((now.w, step.w), (now.y, step.y), (now.pi, step.pi), (now.q, step.q)):
        falls = change < 0
        if falls.any():
            room = min(room, TO_BOUNDARY * float((value[falls] / -change[falls]).min()))
    return room


def _moved(now: Iterate, step: Iterate, length: float) -> Iterate:
    return replace(
        now,
        w=now.w + length * step.w,
        y=now.y + length * step.y,
        pi=now.pi + length * step.pi,
        q=now.q + length * step.q,
        nu=now.nu + length * step.nu,
        eta=now.eta + length * step.eta,
    )
