"""The paper's Algorithm 1: the nearest strategy whose rows lie between z and e^ε z.

    Π_{z,ε}(R) = argmin ‖Q − R‖_F   subject to   Qᵀ1 = 1,  z ≤ q_u ≤ e^ε z for every column u.

A column of the answer is clip(r_u + λ_u, z, e^ε z) with one number λ_u that makes it sum to 1. Its sum grows
piecewise linearly in λ; the 2m breakpoints are sorted and the root is read off: O(m log m) a column.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from array_api_compat import is_numpy_namespace

from lowkey.optimize.arrays import Array

CPU_BLOCK, GPU_BLOCK = 2**18, 2**28  # breakpoints sorted at a time: 2 MiB, 2 GiB


class Projection(NamedTuple):
    """A projected strategy and which of its entries stand on a bound (they move with z)."""

    strategy: Array
    at_low: Array
    at_high: Array


def project(target: Array, floor: Array, ratio: float, xp: Any) -> Projection:
    """Π_{z,ε}(target) for z = floor, e^ε = ratio; needs Σz ≤ 1 ≤ ratio Σz (see `feasible_floor`)."""
    low, high = floor[:, None], ratio * floor[:, None]
    shifted = target + _multipliers(target, floor, ratio, xp)[None, :]
    return Projection(xp.clip(shifted, low, high), shifted <= low, shifted >= high)


def feasible_floor(floor: Array, ratio: float, xp: Any) -> Array:
    """The floor clipped to [0, 1] and scaled, where needed, so that columns between it and ratio × it can sum to 1."""
    floor = xp.clip(floor, 0.0, 1.0)
    total = float(xp.sum(floor))
    if total > 1:
        return floor / total
    if ratio * total < 1:
        return floor / (ratio * total)
    return floor


def floor_gradient(gradient: Array, projection: Projection, ratio: float, xp: Any) -> Array:
    """∇_z L: the gradient with respect to Q, back-propagated through the projection and its multiplier.

    An entry on a bound moves with z (by 1 or e^ε); the free entries of its column then shift by one common
    amount to keep the sum, which takes the mean of the free entries' gradient off.
    """
    moves = xp.astype(projection.at_low, gradient.dtype) + ratio * xp.astype(projection.at_high, gradient.dtype)
    multiplier = _column_multiplier(gradient, projection, xp)
    return xp.sum((gradient - multiplier[None, :]) * moves, axis=1)


def travel_with_floor(projection: Projection, shift: Array, ratio: float, xp: Any) -> Array:
    """How Q moves when z moves by `shift`: entries on a bound with it, the free ones so that columns keep their sum."""
    zero = xp.zeros_like(projection.strategy)
    moved = shift[:, None] + zero
    travel = xp.where(projection.at_low, moved, xp.where(projection.at_high, ratio * moved, zero))
    free = xp.where(projection.at_low | projection.at_high, zero, zero + 1.0)
    share = xp.sum(travel, axis=0) / xp.clip(xp.sum(free, axis=0), 1.0, None)
    return travel - free * share[None, :]


def _column_multiplier(gradient: Array, projection: Projection, xp: Any) -> Array:
    """The price of one unit of a column's sum: the mean gradient of the free entries.

    A column without free entries has a range of prices, from the dearest entry on the upper bound to the cheapest
    on the lower one: its middle is taken.
    """
    zero, infinity = xp.zeros_like(gradient), xp.full_like(gradient, xp.inf)
    bound = projection.at_low | projection.at_high
    count = xp.sum(xp.where(bound, zero, zero + 1.0), axis=0)
    mean = xp.sum(xp.where(bound, zero, gradient), axis=0) / xp.clip(count, 1.0, None)
    above = xp.max(xp.where(projection.at_high, gradient, -infinity), axis=0)
    below = xp.min(xp.where(projection.at_low, gradient, infinity), axis=0)
    above = xp.where(xp.any(projection.at_high, axis=0), above, below)
    below = xp.where(xp.any(projection.at_low, axis=0), below, above)
    return xp.where(count > 0, mean, (above + below) / 2)


def _multipliers(target: Array, floor: Array, ratio: float, xp: Any) -> Array:
    """λ (n,): the root of Σ_o clip(r_ou + λ_u, z_o, e^ε z_o) = 1 for each column u, a block of columns at a time."""
    outputs, cells = target.shape
    # A CPU sorts within its cache, a GPU all columns at once.
    entries = CPU_BLOCK if is_numpy_namespace(xp) else GPU_BLOCK
    step = max(1, entries // (2 * outputs))
    blocks = [_block_multipliers(target[:, i : min(i + step, cells)], floor, ratio, xp) for i in range(0, cells, step)]
    return blocks[0] if len(blocks) == 1 else xp.concat(blocks)


def _block_multipliers(target: Array, floor: Array, ratio: float, xp: Any) -> Array:
    outputs = target.shape[0]
    columns = target.T
    breakpoints = xp.concat([floor - columns, ratio * floor - columns], axis=1)
    order = xp.argsort(breakpoints, axis=1, stable=False)  # several times faster; λ does not move between equal ones
    points = xp.take_along_axis(breakpoints, order, axis=1)
    # Past a lower breakpoint one more entry follows λ, past an upper one it stops.
    starts = xp.astype(order < outputs, target.dtype)
    slopes = xp.cumulative_sum(2 * starts - 1, axis=1)[:, :-1]
    sums = xp.sum(floor) + xp.cumulative_sum(slopes * (points[:, 1:] - points[:, :-1]), axis=1)
    last = sums.shape[1] - 1
    segment = xp.clip(xp.sum(xp.astype(sums < 1.0, xp.int64), axis=1), 0, last)[:, None]
    beyond = xp.take_along_axis(sums, segment, axis=1) - 1.0
    slope = xp.clip(xp.take_along_axis(slopes, segment, axis=1), 1.0, None)
    return (xp.take_along_axis(points, segment + 1, axis=1) - beyond / slope)[:, 0]
