"""Decoders: from responses back to unbiased estimates, with the variance that they have.

For a strategy Q the best unbiased decoder of a workload W is V = W B with B = X⁺ Qᵀ D⁻¹, D = Diag(Qπ) and
X = Qᵀ D⁻¹ Q (the paper's theorem "Optimal V for fixed Q", stated there for uniform π). Nothing here has p rows:
the workload enters through its Gram matrix.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg

from lowkey.analysis.decoder import Decoder
from lowkey.analysis.invariant_decoder import InvariantDecoder, shared_interactions
from lowkey.analysis.sampled_decoder import SampledDecoder, shared_blocks
from lowkey.checks import Matrix, Vector, check_prior, check_vector
from lowkey.errors import InvalidInput, TooLarge
from lowkey.mechanisms.base import Mechanism, Responses
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.mechanisms.sampled import SampledMechanism
from lowkey.workloads.base import DENSE_LIMIT, Workload
from lowkey.workloads.row_space import refuse_unanswerable

LEAST_INFORMATION = 1e-27  # far above the square of a double's rounding, far below any report's


class ClosedFormDecoder(Decoder):
    """The estimator that a mechanism brings along."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

    def estimate_cells(self, responses: Responses) -> Vector:
        return self.mechanism.closed_form_estimate(responses)

    def variance(self, workload: Workload) -> Vector:
        return self.mechanism.closed_form_variance(workload)


class StrategyDecoder(Decoder):
    """The best unbiased decoder of a workload for a strategy matrix: behaves as the p×m matrix V = W B.

    `cells` is B (n×m). `decoder @ y` gives the answers, `to_dense()` gives V where it fits in memory.
    """

    def __init__(self, workload: Workload, strategy: Matrix, prior: Vector) -> None:
        self.workload = workload
        self._strategy = strategy
        self.cells = _cell_decoder(workload, strategy, prior)
        self.shape = (workload.shape[0], strategy.shape[0])

    def estimate_cells(self, responses: Responses) -> Vector:
        return self.cells @ check_vector("the response vector", responses.all_values(self.shape[1]), self.shape[1])

    def variance(self, workload: Workload) -> Vector:
        """The paper's Variance theorem through Gram matrices: z_u = Σ_o Q_ou b_oᵀ G b_o − G_uu."""
        gram = workload.gram()
        per_output = np.einsum("no,no->o", self.cells, gram @ self.cells)
        variance: Vector = np.maximum(per_output @ self._strategy - gram.diagonal(), 0.0)
        return variance

    def __matmul__(self, responses: object) -> Vector:
        return self.workload.matvec(self.cells @ check_vector("the response vector", responses, self.shape[1]))

    def to_dense(self) -> Matrix:
        """V (p×m)."""
        if self.shape[0] * self.shape[1] > DENSE_LIMIT:
            raise TooLarge(
                "the dense decoder",
                f"{self.shape[0]:,} × {self.shape[1]:,}",
                f"at most {DENSE_LIMIT:,} entries",
                "Use `decoder @ responses` or `decoder.cells` (n×m) instead.",
            )
        return self.workload.matvec(self.cells)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Matrix:
        return np.asarray(self.to_dense(), dtype=dtype)  # type: ignore[call-overload, no-any-return]


class AsMatrix:
    """For decoders that need no list of outputs: where these can be listed, they behave as the p×m matrix V as well."""

    def __init__(self, workload: Workload, mechanism: Any) -> None:
        super().__init__(mechanism)  # type: ignore[call-arg]  # the decoder that stands beside it
        self.workload = workload
        self.mechanism = mechanism
        self.shape = (workload.shape[0], mechanism.shape[0])

    @cached_property
    def listed(self) -> StrategyDecoder:
        """The same decoder, output by output."""
        strategy = self.mechanism.to_dense()
        return StrategyDecoder(self.workload, strategy, check_prior(self.mechanism.design_prior, strategy.shape[1]))

    @property
    def cells(self) -> Matrix:
        return self.listed.cells

    def __matmul__(self, responses: object) -> Vector:
        return self.listed @ responses

    def to_dense(self) -> Matrix:
        """V (p×m)."""
        return self.listed.to_dense()

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Matrix:
        return self.listed.__array__(dtype, copy)


class InvariantStrategyDecoder(AsMatrix, InvariantDecoder):
    """That of a shift-invariant mechanism."""


class SampledStrategyDecoder(AsMatrix, SampledDecoder):
    """That of a mechanism that draws attributes beside an ordered one."""


def best_decoder(workload: Workload, mechanism: Mechanism, prior: object = None) -> Decoder:
    """The mechanism's own estimator where it has one, else the optimal one for its strategy matrix.

    For a shift-invariant mechanism, a workload of marginals and parities and a uniform prior that needs no matrix; nor
    does it for one that draws attributes, their products with queries on the ordered one, and the mechanism's prior.

    prior: the types' weights that it is tuned for; None takes the mechanism's `design_prior`.
    """
    if not isinstance(mechanism, Mechanism):
        raise InvalidInput("the mechanism", mechanism, "a Mechanism", "Use mechanisms.create(name, n, epsilon).")
    if workload.shape[1] != mechanism.domain_size:
        raise InvalidInput(
            "the mechanism's domain",
            f"{mechanism.domain_size} cells",
            f"the workload's {workload.shape[1]} cells",
            "Create both for the same schema, or place the workload with W.on(schema, attribute).",
        )
    if mechanism.has_closed_form:
        return ClosedFormDecoder(mechanism)
    if prior is not None:
        prior = check_prior(prior, mechanism.domain_size)
    if isinstance(mechanism, InvariantMechanism) and shared_interactions(workload, mechanism) and _is_even(prior):
        return InvariantStrategyDecoder(workload, mechanism)
    if isinstance(mechanism, SampledMechanism) and prior is None and shared_blocks(workload, mechanism) is not None:
        return SampledStrategyDecoder(workload, mechanism)
    strategy = mechanism.to_dense()
    weights = check_prior(mechanism.design_prior if prior is None else prior, mechanism.domain_size)
    return StrategyDecoder(workload, strategy, weights)


def _is_even(prior: object) -> bool:
    """Whether a prior weighs all types alike, as None does."""
    return prior is None or bool(np.ptp(np.asarray(prior, dtype=np.float64)) == 0)


def _cell_decoder(workload: Workload, strategy: Matrix, prior: Vector) -> Matrix:
    """B = π1ᵀ + (Y + τ11ᵀ)⁺ Tᵀ D⁻¹ with T = Q − D 11ᵀ and Y = Tᵀ D⁻¹ T = X − 11ᵀ: the same B, with all its digits.

    At small ε nearly all of X is 11ᵀ, the number of people, beside which what reports tell is lost to rounding.
    """
    totals = strategy @ prior
    with np.errstate(divide="ignore"):
        inverse = np.where(totals > 0, 1 / totals, 0.0)
    deviations = strategy - totals[:, None]
    scaled = deviations * np.sqrt(inverse)[:, None]
    values, basis = _informative(scaled.T @ scaled, workload, strategy.shape[0])
    told = (basis / values) @ (basis.T @ (deviations.T * inverse))
    decoder: Matrix = told + prior[:, None] * (1.0 - told.sum(axis=0))  # told sums to 0, save for rounding
    return decoder


def _informative(information: Matrix, workload: Workload, outputs: int) -> tuple[Vector, Matrix]:
    """Eigenvalues and vectors of Y + τ11ᵀ that are more than rounding; refuses a query with a part in the others."""
    cells = len(information)
    weight = max(float(information.trace()) / cells, 10 * LEAST_INFORMATION)
    values, vectors = scipy.linalg.eigh(information + weight)
    kept = values > max(10 * max(outputs, cells) * np.finfo(np.float64).eps * values[-1], LEAST_INFORMATION)
    refuse_unanswerable(workload, vectors[:, ~kept])
    return values[kept], vectors[:, kept]
