"""Answers to marginals and parities from shifts of the whole domain: in Fourier space a table is a few characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.fft

from lowkey.analysis.expected_squares import table_variances
from lowkey.checks import Matrix, Vector
from lowkey.estimate.table_blocks import TableBlock
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.invariant import not_answerable

Waves = npt.NDArray[np.complex128]


def estimate_by_group(
    mechanism: GroupMechanism, responses: Responses, blocks: Sequence[TableBlock], answers: Vector, variances: Vector
) -> None:
    """Fill in the answers of the blocks' queries and the estimated variances.

    A report (b, t) adds g(c − t)/n_T to cell c of the marginal over T, g(v) = Σ_k p̂_b(k)/λ_k ω^{k·v} over the k that
    are 0 outside T; of the parity T, only the k that is 0 nowhere on T.
    """
    reports, users = ReportWaves(mechanism, responses), float(responses.users)
    for block in blocks:
        sets = [tuple(attributes) for attributes in block.attributes.tolist()]
        values = [reports.table(attributes, block.is_parity)[None] for attributes in sets]
        pairs = zip(sets, values, strict=True)
        squares = [table_variances(mechanism, *pair, users, block.is_parity) for pair in pairs]
        block.put(np.concatenate(values), block.weights, answers)
        block.put(np.concatenate(squares), block.weights**2, variances)


class ReportWaves:
    """The Fourier transforms of the base patterns and of how often each shift was reported with each."""

    def __init__(self, mechanism: GroupMechanism, responses: Responses) -> None:
        tallies = responses.all_values(mechanism.shape[0]).reshape(-1, *mechanism.sizes)
        self.spectrum = mechanism.spectrum
        waves: Waves = np.zeros(mechanism.sizes, dtype=np.complex128)
        for tally, (_, base) in zip(tallies, mechanism.bases(), strict=True):
            waves += base.transform * scipy.fft.fftn(tally)
        self.waves = waves

    def table(self, attributes: tuple[int, ...], is_parity: bool) -> Matrix:
        """Estimates of the table's cells (of a parity: one)."""
        index = tuple(slice(None) if axis in attributes else 0 for axis in range(self.spectrum.ndim))
        known = self.spectrum[index]
        asked = np.zeros(known.shape, dtype=np.bool_) if is_parity else np.ones(known.shape, dtype=np.bool_)
        asked[(slice(1, None),) * known.ndim] = True
        if not known[asked].all():
            raise not_answerable(attributes)
        found: Matrix = scipy.fft.ifftn(
            np.divide(self.waves[index], known, out=np.zeros_like(known, dtype=complex), where=asked)
        ).real
        return found[(slice(1),) * known.ndim] * known.size if is_parity else found
