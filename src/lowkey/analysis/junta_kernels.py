"""What one report of a junta adds to an estimate, as a function of c − t: the cell asked about less the shift.

A report that knows the attributes of S adds f_S(c − t) to x̂_S(c), the part of the answers that depends on exactly S:

    f_S(v) = Σ_{k on S} p̂_b(k)/λ_k ω^{k·v}.

To the marginal over T it adds (1 + h_R(c − t))/n_T, R being the attributes of T that it knows, h_R = Σ_{∅≠S⊆R} f_S.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.fft

from lowkey.checks import Matrix
from lowkey.mechanisms.invariant import not_answerable
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.mechanisms.slots import on_slots


def part(mechanism: JuntaMechanism, junta: int, slots: Sequence[int], subset: Sequence[int]) -> Matrix:
    """f_S of the reports whose slots `slots` stand for S = `subset`; characters with λ_k = 0 are left out."""
    transform = on_slots(mechanism.bases[junta].transform, slots)
    values = np.zeros(transform.shape, dtype=np.complex128)
    inner = (slice(1, None),) * len(slots)
    known = mechanism.interaction(subset)
    np.divide(transform[inner], known, out=values[inner], where=known > 0)
    found: Matrix = scipy.fft.ifftn(values).real * values.size
    return found


def refuse_unanswerable_interactions(mechanism: JuntaMechanism, subset: tuple[int, ...]) -> None:
    """Raise where the mechanism does not determine all that depends on these attributes together."""
    if not mechanism.interaction(subset).all():
        raise not_answerable(subset)
