"""The relaxation where the Gram matrix depends on u XOR v alone: marginals and parities of binary attributes.

For a uniform prior K may be taken diagonal in the characters χ, μ = 0, δ constant and N_uv = N(u XOR v): averaging a
dual point over translations does not make it worse. The slice theorem then reads, with a_χ for the eigenvalues of A,
m_χ for those of KKᵀ, and f = (e^ε − 1)²/(n m²), m = 1 + (e^ε − 1)k/n,

    c_k ≤ k max( N̂(0) + δ(n/k − 1),  f m_χ + N̂(χ) − δ for χ ≠ 0 ),     N̂(χ) = Σ_h N(h) χ(h),     F = Σ_χ √(a_χ m_χ):

Delsarte's linear programming bound on the autocorrelation of a pattern. All slices are searched for together, and where
G does not change when attributes change places, functions of the Hamming weight are enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.linalg
import scipy.optimize

from lowkey.analysis.rounding import EPS, unit
from lowkey.checks import Matrix, Vector

SMOOTHING = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)  # of the maximum, relative to the value of the nuclear norm bound
STEPS = 150  # quasi-Newton steps at each
WORK = 2**24  # slices times the square of the classes: some seconds


@dataclass(frozen=True)
class Classes:
    """Differences u XOR v, and characters, in classes; class 0 is the zero (the constant) alone."""

    sizes: Vector
    sums: Matrix  # of a character of class i over the differences of class j
    representatives: tuple[int, ...] = ()


def is_translation_invariant(gram: Matrix) -> bool:
    """Whether G_uv = G_0,(u XOR v), exactly, for n a power of two."""
    n = len(gram)
    if n & (n - 1):
        return False
    cells = np.arange(n)
    return all(bool((gram[u] == gram[0, cells ^ u]).all()) for u in range(n))


def classes_of(row: Vector) -> Classes | None:
    """By Hamming weight if G's first row depends on that alone, else every difference by itself; None if too many."""
    n, d = len(row), len(row).bit_length() - 1
    weight = np.bitwise_count(np.arange(n, dtype=np.uint64)).astype(np.intp)
    if (row == row[2**weight - 1]).all():
        return weight_classes(d)
    if (n - 1) * n**2 > WORK:
        return None
    return Classes(np.ones(n), scipy.linalg.hadamard(n).astype(np.float64), tuple(range(n)))


def weight_classes(d: int, size: int = 2) -> Classes:
    """Class j: the differences, or the characters, that are not zero in j of d attributes of one size."""
    sizes: Vector = np.array([math.comb(d, j) * (size - 1) ** j for j in range(d + 1)], dtype=np.float64)
    return Classes(sizes, _krawtchouk(d, size), tuple(2**j - 1 for j in range(d + 1)))


def _krawtchouk(d: int, size: int) -> Matrix:
    """Σ over differences of weight j of a character of weight i: the coefficient of x^j in (1−x)^i (1+(q−1)x)^(d−i)."""
    rows = []
    for i in range(d + 1):
        polynomial = [1]
        for factor in [-1] * i + [size - 1] * (d - i):
            polynomial = [a + factor * b for a, b in zip([*polynomial, 0], [0, *polynomial], strict=True)]
        rows.append(polynomial)
    return np.array(rows, dtype=np.float64)


def invariant_relaxation_value(gram: Matrix, epsilon: float) -> float:
    """The bound for a uniform prior, from below; 0 where it proves nothing or there is too much to do."""
    scale, n = unit(gram), len(gram)
    row = gram[0] / scale
    classes = classes_of(row)
    if n == 1 or classes is None:
        return 0.0
    differences = row[np.array(classes.representatives)]
    error = 4 * (n + 8) * EPS * float(classes.sizes @ np.abs(differences)) / n
    values = np.maximum(classes.sums @ differences / n - error, 0.0)
    values[0] = 0.0
    if not (values > 0).any():
        return 0.0
    search = Search(epsilon, classes, values, every_slice(n))
    trace = float(row[0] - classes.sizes @ differences / n)
    return scale * variance_bound(*search.proved(search.solve()), trace + n * error)


def variance_bound(nuclear: float, largest: float, trace: float) -> float:
    """F²/c − tr A, or 0 where that proves nothing."""
    return max(nuclear / largest * nuclear * (1 - 16 * EPS) - trace, 0.0) if largest > 0 else 0.0


@dataclass(frozen=True)
class Densities:
    """Shares k/n of ones, from low to high: intervals, or single slices where both are the same."""

    low: Vector
    high: Vector

    def factors(self, epsilon: float) -> Vector:
        """k f / sinh²(ε/2), the largest in each interval: times 1 − k/n it is at most 1."""
        spread = math.expm1(epsilon)
        worst = np.clip(1 / spread, self.low, self.high)
        factors: Vector = worst * (spread / (1 + spread * worst)) ** 2 * math.sinh(epsilon / 2) ** -2
        return factors

    def odds(self, deltas: Vector) -> Vector:
        """n/k − 1, where δ times it is largest."""
        odds: Vector = 1 / np.where(deltas >= 0, self.low, self.high) - 1
        return odds


def every_slice(cells: int) -> Densities:
    """k = 1 … n − 1."""
    shares = np.arange(1.0, cells) / cells
    return Densities(shares, shares)


@dataclass(frozen=True)
class Search:
    """Variables: t_χ (in units of the start), then δ and N of each slice, all of order one."""

    epsilon: float
    classes: Classes
    values: Vector  # a_χ from below, one a class
    densities: Densities

    @property
    def kept(self) -> Vector:
        """√a_χ for the characters that count."""
        roots: Vector = np.sqrt(self.values[self.values > 0])
        return roots

    @property
    def sizes(self) -> Vector:
        sizes: Vector = self.classes.sizes[self.values > 0]
        return sizes

    @property
    def factors(self) -> Vector:
        return self.densities.factors(self.epsilon)

    def solve(self, steps: int = STEPS) -> Vector:
        slices, classes = len(self.densities.low), len(self.classes.sizes)
        first = len(self.kept)
        point = np.zeros(first + slices * classes)
        point[:first] = 1.0
        self._multipliers(point)[:, 0] = self.factors * self.densities.low
        low = np.full(len(point), -np.inf)
        self._multipliers(low)[:, 1:] = 0.0
        for smoothing in SMOOTHING:
            point = scipy.optimize.minimize(
                partial(self.loss, smoothing=smoothing),
                point,
                jac=True,
                method="L-BFGS-B",
                bounds=scipy.optimize.Bounds(low, np.inf),
                options={"maxiter": steps, "maxcor": 10},
            ).x
        pairs = self._multipliers(point)[:, 1:]
        np.maximum(pairs, 0.0, out=pairs)
        return point

    def loss(self, point: Vector, smoothing: float) -> tuple[float, Vector]:
        """c − 2F in the start's units with a smooth maximum for c, and its derivative."""
        roots = point[: len(self.kept)]
        share = self.sizes * self.kept / float(self.sizes @ self.kept)
        terms = self.slices(point)
        weights = np.exp((terms - terms.max()) / smoothing)
        total = float(weights.sum())
        weights /= total
        largest = float(terms.max()) + smoothing * math.log(total)
        by_squares = (self.factors @ weights)[self.values > 0]
        slope = np.empty_like(point)
        slope[: len(roots)] = 2 * by_squares * roots - 2 * share
        multipliers = self._multipliers(slope)
        multipliers[:, 0] = weights[:, 0] * self.densities.odds(multipliers[:, 0]) - weights[:, 1:].sum(axis=1)
        multipliers[:, 1:] = (weights @ self.classes.sums)[:, 1:] / self.classes.sizes[1:]
        return largest - 2 * float(share @ roots), slope

    def slices(self, point: Vector) -> Matrix:
        """What the maximum of slice k is taken over, times k: a row a slice, a column a class of characters."""
        multipliers = self._multipliers(point)
        squares = np.zeros(len(self.values))
        squares[self.values > 0] = point[: len(self.kept)] ** 2
        delta, pairs = multipliers[:, 0], multipliers[:, 1:] / self.classes.sizes[1:]
        terms: Matrix = np.outer(self.factors, squares) + pairs @ self.classes.sums[:, 1:].T
        terms[:, 0] += delta * self.densities.odds(delta)
        terms[:, 1:] -= delta[:, None]
        return terms

    def proved(self, point: Vector) -> tuple[float, float]:
        """F from below and c from above, for m_χ = t_χ².

        A term is a sum of at most three products more than there are classes; their absolute values add up to
        the third part.
        """
        multipliers = np.abs(self._multipliers(point))
        absolute = self.factors * float(np.max(point[: len(self.kept)] ** 2)) + multipliers[:, 1:].sum(axis=1)
        absolute += multipliers[:, 0] / self.densities.low
        error = 4 * (len(self.classes.sizes) + 16) * EPS * absolute
        largest = float((self.slices(point).max(axis=1) + error).max())
        nuclear = float(self.sizes @ (self.kept * np.abs(point[: len(self.kept)])))
        unit_of_slices = math.sinh(self.epsilon / 2) ** 2 * (1 + 16 * EPS)
        return nuclear * (1 - 2 * (len(self.kept) + 8) * EPS), max(largest, 0.0) * unit_of_slices

    def _multipliers(self, point: Vector) -> Matrix:
        return point[len(self.kept) :].reshape(-1, len(self.classes.sizes))
