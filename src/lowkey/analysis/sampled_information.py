"""What the reports of a `SampledMechanism` tell, character by character of its slots.

Let p weigh the values of the ordered attribute, all else being uniform, and c_s = Σ_u p_u ŝ(u, 0). On the character k
of the slots, averaged over all shifts, the information is the matrix over the ordered attribute's values

    X_k = Σ_s (w_s/c_s) ŝ(·, k) ŝ(·, k)*,      on the constant 11ᵀ + Y, Yp = 0, with ŝ(·, 0) − c_s for ŝ(·, 0) in Y.

Orders of the slots are drawn too: X_k is averaged over the characters of its orbit. As in `optimize/information.py`,
with M_k = X_k⁻¹ A'_k X_k⁻¹ (Y⁻ for the constant) and g_s = Σ_k ŝ(·, k)* M_k ŝ(·, k) / c_s the variance of value u is

    z_u = Σ_s w_s ŝ(u, 0) g_s/c_s − d_u + 2 (A_∅ p)_u − pᵀ A_∅ p,      d the diagonal of WᵀW.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from lowkey.analysis.slot_grams import Characters, Kind, slot_grams
from lowkey.checks import Matrix, Vector, check_prior
from lowkey.errors import QueryNotAnswerable
from lowkey.mechanisms.sampled import SampledMechanism, Waves
from lowkey.workloads.ordered import OrderedInteractions

SEEN = 1e-12  # of the largest eigenvalue of an X_k: what is less is rounding
UNANSWERED = 1e-10  # of the trace of an A'_k: what may lie in directions that are not seen


class SampledInformation:
    """Of a mechanism, for the prior p (None: the one it was designed for, uniform where there is none)."""

    def __init__(self, mechanism: SampledMechanism, ordered_prior: Vector | None = None) -> None:
        chosen = mechanism.ordered_prior if ordered_prior is None else ordered_prior
        self.mechanism = mechanism
        self.prior = check_prior(chosen, mechanism.values)
        self.scale: Vector = mechanism.waves[:, :, 0].real @ self.prior
        self.characters = Characters(mechanism.slot_sizes, mechanism.draws)

    @cached_property
    def spectra(self) -> list[tuple[Vector, Waves]]:
        """Of each orbit, eigenvalues and vectors of X that are more than rounding (of Y + τ11ᵀ for the constant)."""
        weights = np.sqrt(self.mechanism.weights / self.scale)
        waves = self.mechanism.waves * weights[:, None, None]
        waves[:, :, 0] -= (self.scale * weights)[:, None]
        values = self.mechanism.values
        totals = np.zeros((len(self.characters.sizes), values, values), dtype=np.complex128)
        for character, orbit in enumerate(self.characters.orbits):
            totals[orbit] += waves[:, :, character].T @ waves[:, :, character].conj() / self.characters.sizes[orbit]
        totals[0] += self.people
        return [_informative(total) for total in totals]

    @cached_property
    def people(self) -> float:
        """τ: about as much as Y has on average, so that the number of people, which is known, is on its scale."""
        waves = self.mechanism.waves[:, :, 0].real - self.scale[:, None]
        return float(((self.mechanism.weights / self.scale) @ waves**2).mean()) or 1.0

    def inverse(self, orbit: int) -> Waves:
        """X⁻¹, Y⁻ for the constant; on what is not seen 0."""
        values, vectors = self.spectra[orbit]
        inverse: Waves = (vectors / values) @ vectors.conj().T
        if orbit == 0:
            inverse -= np.outer(self.prior, self.prior) / self.people
        return inverse

    def variance(self, ordered: OrderedInteractions) -> Vector:
        """z_u of the workload for each value u."""
        grams = slot_grams(ordered, self.mechanism.draws)
        waves, weights = self.mechanism.waves, self.mechanism.weights
        gains = np.zeros(len(weights))
        middles = [self._middle(orbit, kind, grams) for orbit, kind in enumerate(self.characters.kinds)]
        for character, orbit in enumerate(self.characters.orbits):
            middle, wave = middles[orbit], waves[:, :, character]
            if middle is not None:
                gains += np.einsum("su,su->s", wave.conj(), wave @ middle.T).real
        loads = (weights * gains / self.scale**2) @ waves[:, :, 0].real
        mean = ordered.gram(()) @ self.prior
        variance: Vector = np.maximum(loads - ordered.diagonal + 2 * mean - self.prior @ mean, 0.0)
        return variance

    def refuse_unanswerable(self, ordered: OrderedInteractions) -> None:
        """Raise QueryNotAnswerable where the outputs do not determine some query."""
        grams = slot_grams(ordered, self.mechanism.draws)
        for orbit, kind in enumerate(self.characters.kinds):
            if kind in grams:
                self._refuse_unseen(orbit, grams[kind])

    @cached_property
    def kernels(self) -> Waves:
        """What a report (a, s, t) with t = 0 adds to the estimate for value u and the slots' cell v, times the number
        of cells that differ in other attributes alone: its transform along the slots, (patterns, values, characters).

        The part on the character k of a set S of slots is X_k⁻¹ ŝ(·, k)/c_s over the chance of drawing S; on the
        constant p + Y⁻ ŝ(·, 0)/c_s.
        """
        kernels: Waves = np.empty_like(self.mechanism.waves)
        groups = self.mechanism.draws.groups
        for character, orbit in enumerate(self.characters.orbits):
            kind = self.characters.kinds[orbit]
            chance = math.prod(group.chance(count) for group, count in zip(groups, kind, strict=True))
            wave = self.mechanism.waves[:, :, character] / (self.scale * chance)[:, None]
            kernels[:, :, character] = wave @ self.inverse(orbit).T
        kernels[:, :, 0] += self.prior
        return kernels

    def _middle(self, orbit: int, kind: Kind, grams: dict[Kind, Matrix]) -> Waves | None:
        """M, or None where nothing is asked."""
        gram = grams.get(kind)
        if gram is None:
            return None
        self._refuse_unseen(orbit, gram)
        inverse = self.inverse(orbit)
        middle: Waves = inverse @ gram @ inverse
        return middle

    def _refuse_unseen(self, orbit: int, gram: Matrix) -> None:
        vectors = self.spectra[orbit][1]
        seen = float(np.einsum("ua,uv,va->", vectors.conj(), gram, vectors).real)
        trace = float(gram.trace())
        if trace - seen > UNANSWERED * trace:
            raise QueryNotAnswerable(
                "the workload",
                "not answerable with this mechanism: its outputs do not determine all that depends on the ordered "
                f"attribute and {sum(self.characters.kinds[orbit])} others together",
                "queries on what the patterns tell apart",
                "Choose patterns that tell them apart, or optimize a mechanism for this workload.",
            )


def _informative(information: Waves) -> tuple[Vector, Waves]:
    values, vectors = np.linalg.eigh((information + information.conj().T) / 2)
    kept = values > SEEN * max(values[-1], np.finfo(np.float64).tiny)
    return values[kept], vectors[:, kept]
