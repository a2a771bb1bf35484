"""Mechanisms that add noise: each person sends A e_u + noise, and the sum of all is decoded by least squares.

They are the central model's mechanisms run by every person on a database of one (A. Edmonds, A. Nikolov,
J. Ullman, "The power of factorization mechanisms in local and central differential privacy", STOC 2020;
R. Bassily, "Linear queries estimation with local differential privacy", AISTATS 2019). A neighbour in the
local model is any other person, so noise is scaled to the sensitivity over pairs of types, max ‖A(e_u −
e_v)‖: up to twice that of the central model, where one person is added or removed.

The noise is idealised (real numbers): these are yardsticks for studies and are not deployed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np

from lowkey.checks import Matrix, Vector, check_epsilon, check_size, check_vector
from lowkey.errors import InvalidInput, NotAvailable
from lowkey.mechanisms.base import RATIO_TOLERANCE, Mechanism, Responses
from lowkey.mechanisms.gaussian_calibration import check_delta, gaussian_noise
from lowkey.mechanisms.matrix_strategy import inverse_root, l1_strategy, l2_strategy, symmetric_root
from lowkey.mechanisms.sensitivity import l1_sensitivity, l2_sensitivity
from lowkey.workloads.base import Workload
from lowkey.workloads.row_space import refuse_unanswerable


class AdditiveNoise(Mechanism):
    """Each person sends A e_u plus independent noise in every coordinate, scaled to the sensitivity of A.

    noise "laplace" is pure ε-LDP with scale Δ₁/ε; "gaussian" is (ε, δ)-LDP with the smallest σ that the
    analytic calibration allows for Δ₂. Δ is the largest distance between two columns of A. The estimator is
    least squares, x̂ = (AᵀA)⁺ Aᵀ r; its variance is the same for every type, because the noise is.

    >>> import numpy as np
    >>> mechanism = AdditiveNoise(np.eye(4), epsilon=2.0, noise="laplace")
    >>> mechanism.sensitivity, mechanism.scale
    (2.0, 1.0)
    """

    def __init__(
        self,
        strategy: object,
        epsilon: float,
        noise: Literal["laplace", "gaussian"],
        delta: float = 1e-9,
        name: str = "additive_noise",
    ) -> None:
        if noise not in ("laplace", "gaussian"):
            raise InvalidInput("the noise", noise, "one of laplace, gaussian")
        self.name = name
        self.epsilon = check_epsilon(epsilon)
        self.noise = noise
        self.strategy = _check_query_matrix(strategy)
        self.shape = (self.strategy.shape[0], self.strategy.shape[1])
        if noise == "laplace":
            self.sensitivity = l1_sensitivity(self.strategy)
            self.scale = self.sensitivity / self.epsilon
        else:
            self.delta = check_delta(delta)
            self.sensitivity = l2_sensitivity(self.strategy)
            self.scale = self.sensitivity * gaussian_noise(self.epsilon, self.delta)

    @property
    def noise_variance(self) -> float:
        """Variance of one coordinate of one person's noise: 2b² or σ²."""
        return 2 * self.scale**2 if self.noise == "laplace" else self.scale**2

    @property
    def has_closed_form(self) -> bool:
        return True

    def to_dense(self) -> Matrix:
        raise NotAvailable(
            "the strategy matrix",
            f"asked of {self.name}, whose reports are real vectors",
            "a mechanism with finitely many outputs",
            "Its variance, estimates and simulation need no such matrix.",
        )

    def is_ldp(self, epsilon: float) -> bool:
        """Whether it is *pure* ε-LDP: Laplace noise from its own ε on, Gaussian noise never."""
        if self.sensitivity == 0:
            return True
        return self.noise == "laplace" and self.sensitivity <= self.scale * check_epsilon(epsilon) * (
            1 + RATIO_TOLERANCE
        )

    def simulate(self, x: object, rng: np.random.Generator) -> Responses:
        """The sum of everyone's noisy vectors, with the exact law of the sum for any number of people.

        N Gaussians add up to one; a Laplace variable is the difference of two exponentials, so N of them
        add up to the difference of two Gamma(N) variables.
        """
        population = self._check_population(x)
        users, outputs = int(population.sum()), self.shape[0]
        if self.noise == "gaussian":
            noise = rng.normal(0.0, self.scale * np.sqrt(users), outputs)
        else:
            noise = rng.gamma(users, self.scale, outputs) - rng.gamma(users, self.scale, outputs)
        return Responses(self.strategy @ population + noise, users)

    def closed_form_estimate(self, responses: Responses) -> Vector:
        """x̂ = (AᵀA)⁺ Aᵀ r."""
        root, _ = self._inverse_root
        sums = check_vector("the sum of the reports", responses.values, self.shape[0])
        estimate: Vector = root @ (root.T @ (self.strategy.T @ sums))
        return estimate

    def closed_form_variance(self, workload: Workload) -> Vector:
        """σ² tr[G (AᵀA)⁺], whatever the type."""
        root, missing = self._inverse_root
        refuse_unanswerable(workload, missing)
        total = self.noise_variance * float(np.sum(root * (workload.gram() @ root)))
        return np.full(self.domain_size, total)

    def closed_form_query_variance(self, rows: Matrix, estimate: Vector, users: float) -> Vector:
        """N σ² wᵀ(AᵀA)⁺w for each row w; who the people are (`estimate`) makes no difference."""
        root, _ = self._inverse_root
        variance: Vector = users * self.noise_variance * np.sum((rows @ root) ** 2, axis=1)
        return variance

    @cached_property
    def _inverse_root(self) -> tuple[Matrix, Matrix]:
        return inverse_root(self.strategy)


def matrix_mechanism_l1(n: int, epsilon: float, workload: Workload | None = None) -> AdditiveNoise:
    """The distributed Matrix Mechanism with Laplace noise: pure ε-LDP (δ = 0).

    Each person adds Laplace(Δ₁/ε) noise to A e_u, Δ₁ the L1 sensitivity over pairs of types. A is chosen for
    the workload (Histogram if None): the best of optimised p-identity strategies (McKenna et al. 2018),
    hierarchies, wavelets, the workload itself and the cells. Finding the very best A is not convex: it may not be.
    """
    gram = _gram(n, workload)
    return AdditiveNoise(l1_strategy(gram, workload), epsilon, "laplace", name="matrix_mechanism_l1")


def matrix_mechanism_l2(n: int, epsilon: float, workload: Workload | None = None, delta: float = 1e-9) -> AdditiveNoise:
    """The distributed Matrix Mechanism with Gaussian noise: (ε, δ)-LDP, weaker than the pure mechanisms'
    promise.

    Each person adds N(0, σ²) noise to A e_u. A minimises tr[(AᵀA)⁺G] over columns of norm at most 1 (convex);
    σ is the analytic Gaussian calibration (Balle and Wang 2018) at the exact pairwise L2 sensitivity of A.
    """
    strategy = l2_strategy(_gram(n, workload))
    return AdditiveNoise(strategy, epsilon, "gaussian", delta, name="matrix_mechanism_l2")


def gaussian(n: int, epsilon: float, workload: Workload | None = None, delta: float = 1e-9) -> AdditiveNoise:
    """The Gaussian mechanism: (ε, δ)-LDP, each person adds N(0, σ²) noise to her own workload answers W e_u.

    Only WᵀW matters, so a square root of it stands for W: reports are n numbers at most, not p, with the same
    privacy (distances between columns) and the same error (Gaussian noise is the same in every direction).
    """
    return AdditiveNoise(symmetric_root(_gram(n, workload)), epsilon, "gaussian", delta, name="gaussian")


def _gram(n: int, workload: Workload | None) -> Matrix:
    size = check_size("the number of cells", n)
    if workload is None:
        return np.eye(size)
    if workload.shape[1] != size:
        raise InvalidInput("the workload", f"over {workload.shape[1]} cells", f"a workload over n = {size} cells")
    return workload.gram()


def _check_query_matrix(strategy: object) -> Matrix:
    expected = "a 2-D array of finite numbers, one column a cell, not all zero"
    try:
        array = np.array(strategy, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput("the query matrix", strategy, expected) from error
    if array.ndim != 2 or not array.size or not np.isfinite(array).all() or not array.any():
        raise InvalidInput("the query matrix", f"an array of shape {array.shape}", expected)
    array.flags.writeable = False
    return array
