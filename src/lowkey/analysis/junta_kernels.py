"""What one report of a junta adds to an estimate, as a function of c − t: the cell asked about less the shift.

A report that knows the attributes of S adds f_S(c − t) to x̂_S(c), the part of the answers that depends on exactly S:

    f_S(v) = Σ_{k on S} p̂_b(k)/λ_k ω^{k·v}.

To the marginal over T it adds (1 + h_R(c − t))/n_T, R being the attributes of T that it knows, h_R = Σ_{∅≠S⊆R} f_S.
Its square is Σ_{R'⊆R} m_{R'} with m_R = Σ_{R'⊆R} (−1)^{|R|−|R'|} (1 + h_{R'})²: so one sum of m_R for each set R, over
the reports that know it, serves all marginals.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import scipy.fft

from lowkey.checks import Matrix
from lowkey.mechanisms.invariant import not_answerable
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.mechanisms.slots import on_slots


class Kernels(ABC):
    """Two functions of c − t that are summed over reports."""

    def __init__(self, mechanism: JuntaMechanism) -> None:
        self.mechanism = mechanism

    @abstractmethod
    def pair(self, junta: int, slots: Sequence[int], subset: Sequence[int]) -> tuple[Matrix, Matrix]:
        """Of the junta's reports whose slots `slots` stand for the attributes of `subset`."""

    def part(self, junta: int, slots: Sequence[int], subset: Sequence[int]) -> Matrix:
        """f_S; characters with λ_k = 0 are left out."""
        transform = on_slots(self.mechanism.bases[junta].transform, slots)
        values = np.zeros(transform.shape, dtype=np.complex128)
        inner = (slice(1, None),) * len(slots)
        known = self.mechanism.interaction(subset)
        np.divide(transform[inner], known, out=values[inner], where=known > 0)
        found: Matrix = scipy.fft.ifftn(values).real * values.size
        return found


class PartKernels(Kernels):
    """f_S, and its square: what a parity, which is a single interaction, needs."""

    def pair(self, junta: int, slots: Sequence[int], subset: Sequence[int]) -> tuple[Matrix, Matrix]:
        part = self.part(junta, slots, subset)
        return part, part**2


class MarginalKernels(Kernels):
    """f_R and m_R."""

    def pair(self, junta: int, slots: Sequence[int], subset: Sequence[int]) -> tuple[Matrix, Matrix]:
        places = range(len(subset))
        parts = {
            chosen: self._spread(junta, slots, subset, chosen)
            for degree in range(1, len(subset) + 1)
            for chosen in itertools.combinations(places, degree)
        }
        whole = tuple(places)
        squares = 1.0 * (-1) ** len(whole) + sum(
            (-1) ** (len(whole) - len(inside))
            * (1 + sum(f for part, f in parts.items() if set(part) <= set(inside))) ** 2
            for inside in parts
        )
        return parts[whole], np.asarray(squares)

    def _spread(self, junta: int, slots: Sequence[int], subset: Sequence[int], chosen: Sequence[int]) -> Matrix:
        """f of some of the attributes, as an array over all of `subset` that is constant along the others."""
        part = self.part(junta, [slots[place] for place in chosen], [subset[place] for place in chosen])
        sizes = [self.mechanism.sizes[a] if place in chosen else 1 for place, a in enumerate(subset)]
        return part.reshape(sizes)


def refuse_unanswerable_interactions(mechanism: JuntaMechanism, subset: tuple[int, ...]) -> None:
    """Raise where the mechanism does not determine all that depends on these attributes together."""
    if not mechanism.interaction(subset).all():
        raise not_answerable(subset)
