"""Answers to marginals and parities from shifts of the whole domain: in Fourier space a table is a few characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.fft

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
    reports = ReportWaves(mechanism, responses)
    for block in blocks:
        parts = [reports.table(tuple(attributes), block.is_parity) for attributes in block.attributes.tolist()]
        values, squares = np.stack([part[0] for part in parts]), np.stack([part[1] for part in parts])
        block.put(values, block.weights, answers)
        block.put(squares - (responses.users if block.is_parity else values), block.weights**2, variances)


class ReportWaves:
    """The Fourier transforms of the base patterns and of how often each shift was reported with each."""

    def __init__(self, mechanism: GroupMechanism, responses: Responses) -> None:
        tallies = responses.all_values(mechanism.shape[0]).reshape(-1, *mechanism.sizes)
        self.spectrum = mechanism.spectrum
        self.tallies: list[Waves] = [scipy.fft.fftn(tally) for tally in tallies]
        self.patterns: list[Waves] = [base.transform for _, base in mechanism.bases()]

    def table(self, attributes: tuple[int, ...], is_parity: bool) -> tuple[Matrix, Matrix]:
        """Estimates of the table's cells (of a parity: one), and Σ_o y_o V_o² for each."""
        index = tuple(slice(None) if axis in attributes else 0 for axis in range(self.spectrum.ndim))
        known = self.spectrum[index]
        asked = np.zeros(known.shape, dtype=np.bool_) if is_parity else np.ones(known.shape, dtype=np.bool_)
        asked[(slice(1, None),) * known.ndim] = True
        if not known[asked].all():
            raise not_answerable(attributes)
        axes = tuple(range(1, known.ndim + 1))
        patterns = np.stack([wave[index] for wave in self.patterns])
        tallies = np.stack([wave[index] for wave in self.tallies])
        weights = np.divide(patterns, known, out=np.zeros_like(patterns), where=asked)
        first = scipy.fft.ifftn((weights * tallies).sum(axis=0)).real
        if is_parity:
            corner = (slice(1),) * known.ndim
            squares = (np.abs(weights) ** 2).sum(axis=axes) @ tallies.reshape(len(tallies), -1)[:, 0].real
            return first[corner] * known.size, np.full(first[corner].shape, squares)
        kernels = scipy.fft.fftn(scipy.fft.ifftn(weights, axes=axes).real ** 2, axes=axes)
        return first, scipy.fft.ifftn((kernels * tallies).sum(axis=0)).real
