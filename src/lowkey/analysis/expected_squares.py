"""How far the answers of a shift-invariant mechanism are off, for any population: a convolution with one kernel.

A report of a person in cell u adds V(c − t) to cell c of the marginal over T, and t is u less a random cell. So the
expectation of its square depends on c − u_T alone, f_T(c − u_T), and for a fixed population x

    variance of cell c  =  Σ_u f_T(c − u_T) x_u − x_T(c),

which is linear in the marginal itself: put its estimate for x_T, and the estimate of the variance is unbiased too.
A parity's is the same for all populations, N (1/λ − 1).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import singledispatch

import numpy as np
import scipy.fft

from lowkey.analysis.junta_kernels import part
from lowkey.checks import Matrix
from lowkey.errors import NotAvailable
from lowkey.mechanisms.base_pattern import Transform
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.mechanisms.slots import Junta, on_slots


def table_variances(
    mechanism: InvariantMechanism, attributes: Sequence[int], values: Matrix, users: float, is_parity: bool
) -> Matrix:
    """The variances of `values` (count, axes…), estimates of tables over attributes like these, for so many users."""
    if not attributes:
        return np.zeros_like(values)
    if is_parity:
        return np.full_like(values, users * (1 / float(mechanism.interaction(attributes).item()) - 1))
    return _cell_variances(expected_square(mechanism, attributes), values, users)


def _cell_variances(kernel: Matrix, tables: Matrix, users: float) -> Matrix:
    """f ∗ x − x, within what any population has."""
    axes = tuple(range(1, tables.ndim))
    waves = scipy.fft.rfftn(tables, axes=axes) * scipy.fft.rfftn(kernel)
    spread = scipy.fft.irfftn(waves, s=kernel.shape, axes=axes)
    by_offset = kernel.copy()
    by_offset.flat[0] -= 1.0
    found: Matrix = np.clip(spread - tables, users * by_offset.min(), users * by_offset.max())
    return found


@singledispatch
def expected_square(mechanism: InvariantMechanism, attributes: Sequence[int]) -> Matrix:
    """f_T, an array with an axis for each of the attributes."""
    expected = "a GroupMechanism or a JuntaMechanism"
    raise NotAvailable("the variance of one table", f"asked of {mechanism.name}", expected)


@expected_square.register
def _(mechanism: GroupMechanism, attributes: Sequence[int]) -> Matrix:
    index = tuple(slice(None) if axis in attributes else 0 for axis in range(len(mechanism.sizes)))
    known, total = mechanism.spectrum[index], np.zeros(mechanism.spectrum[index].shape)
    for share, base in mechanism.bases():
        pattern = base.transform[index]
        adds = scipy.fft.ifftn(np.divide(pattern, known, out=np.zeros_like(pattern), where=known > 0)).real
        total += share * _correlated(pattern, adds**2)
    return total


@expected_square.register
def _(mechanism: JuntaMechanism, attributes: Sequence[int]) -> Matrix:
    sizes = tuple(mechanism.sizes[attribute] for attribute in attributes)
    total = np.zeros(sizes)
    for number, (share, junta) in enumerate(zip(mechanism.probabilities, mechanism.juntas, strict=True)):
        for known, slots, chance in _knowledge(junta, attributes):
            shape = [size if place in known else 1 for place, size in enumerate(sizes)]
            square = _junta_square(mechanism, number, slots, [attributes[place] for place in known])
            total += share * chance * square.reshape(shape)
    found: Matrix = total / math.prod(sizes) ** 2
    return found


def _knowledge(junta: Junta, attributes: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], float]]:
    """Which places of `attributes` (and no others) a draw knows, by which slots, and how likely that is."""
    pools = [[place for place, a in enumerate(attributes) if a in group.attributes] for group in junta.groups]
    options = [
        [
            (chosen, slots, chance)
            for count in range(min(len(own), len(group.slots)) + 1)
            for slots, chance in group.draws_that_know(count, len(own))
            for chosen in itertools.combinations(own, count)
        ]
        for group, own in zip(junta.groups, pools, strict=True)
    ]
    for combination in itertools.product(*options):
        pairs = sorted(pair for chosen, slots, _ in combination for pair in zip(chosen, slots, strict=True))
        places, slots = tuple(place for place, _ in pairs), tuple(slot for _, slot in pairs)
        yield places, slots, math.prod(chance for _, _, chance in combination)


def _junta_square(mechanism: JuntaMechanism, junta: int, slots: Sequence[int], subset: Sequence[int]) -> Matrix:
    """E (1 + h(w + v))² over the cell v that the junta draws, for the attributes that its slots stand for."""
    if not subset:
        return np.ones(())
    sizes = [mechanism.sizes[attribute] for attribute in subset]
    adds = np.ones(sizes)
    for degree in range(1, len(subset) + 1):
        for chosen in itertools.combinations(range(len(subset)), degree):
            own = part(mechanism, junta, [slots[i] for i in chosen], [subset[i] for i in chosen])
            adds += own.reshape([size if i in chosen else 1 for i, size in enumerate(sizes)])
    return _correlated(on_slots(mechanism.bases[junta].transform, slots), adds**2)


def _correlated(transform: Transform, values: Matrix) -> Matrix:
    """Σ_v p(v) values(w + v) for every w."""
    found: Matrix = scipy.fft.ifftn(scipy.fft.fftn(values) * transform.conj()).real
    return found
