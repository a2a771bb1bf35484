"""The best unbiased decoder of a shift-invariant mechanism for a uniform prior, diagonal in the characters.

x̂(k)  =  (1/λ_k) Σ_reports p̂_b(k) ω^{−k·t};     what has λ_k = 0 stays 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import scipy.fft

from lowkey.analysis.attribute_sets import AttributeSets
from lowkey.analysis.decoder import Decoder
from lowkey.analysis.junta_moments import Moments
from lowkey.checks import Vector
from lowkey.errors import NotAvailable, TooLarge
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.base_pattern import Transform
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.mechanisms.places import Numbers
from lowkey.workloads.attribute_groups import groups, regrouped
from lowkey.workloads.base import Workload
from lowkey.workloads.interactions import Interactions, Table, interactions_of

MOST_CELLS = 2**22  # that are estimated one by one


class InvariantDecoder(Decoder):
    """For workloads of marginals and parities, over as many cells as there may be; x̂ itself only for few."""

    def __init__(self, mechanism: InvariantMechanism) -> None:
        self.mechanism = mechanism

    def estimate_cells(self, responses: Responses) -> Vector:
        _refuse_many_cells(self.mechanism.domain_size)
        if isinstance(self.mechanism, GroupMechanism):
            waves = _group_waves(self.mechanism, responses)
        elif isinstance(self.mechanism, JuntaMechanism):
            waves = _junta_waves(self.mechanism, responses)
        else:
            raise NotAvailable("the estimate of the cells", f"asked of {self.mechanism.name}", "base patterns")
        cells: Vector = scipy.fft.ifftn(waves.reshape(self.mechanism.sizes)).real.ravel()
        return cells

    def variance(self, workload: Workload) -> float:
        interactions = shared_interactions(workload, self.mechanism)
        if interactions is None:
            raise NotAvailable(
                "the variance of this decoder",
                f"asked for {workload.name}",
                f"marginals and parities of attributes of sizes {self.mechanism.sizes}",
            )
        return self.mechanism.variance(interactions)


def shared_tables(workload: Workload, mechanism: InvariantMechanism) -> tuple[Table, ...] | None:
    """The workload's tables over the mechanism's attributes, which may be finer; None where there are none."""
    tables, finer = workload.tables(), groups(workload.sizes, mechanism.sizes)
    return None if tables is None or finer is None else regrouped(tables, finer)


def shared_interactions(workload: Workload, mechanism: InvariantMechanism) -> Interactions | None:
    """What the workload weighs by attribute set, if it is invariant under the mechanism's shifts."""
    if workload.sizes == mechanism.sizes:
        return workload.interactions
    tables = shared_tables(workload, mechanism)
    return None if tables is None else interactions_of(mechanism.sizes, tables)


def _group_waves(mechanism: GroupMechanism, responses: Responses) -> Transform:
    waves = np.zeros(mechanism.sizes, dtype=np.complex128)
    tallies = responses.all_values(mechanism.shape[0]).reshape(-1, *mechanism.sizes)
    for tally, (_, base) in zip(tallies, mechanism.bases(), strict=True):
        waves += base.transform * scipy.fft.fftn(tally)
    return np.divide(waves, mechanism.spectrum, out=np.zeros_like(waves), where=mechanism.spectrum > 0)


def _junta_waves(mechanism: JuntaMechanism, responses: Responses) -> Transform:
    moments = Moments(mechanism, AttributeSets(mechanism.classes, _all_sets(mechanism)))
    moments.add(responses)
    waves = np.zeros(mechanism.domain_size, dtype=np.complex128)
    waves[0] = responses.users
    strides = np.cumprod([1, *mechanism.sizes[:0:-1]])[::-1]
    for kind, group in moments.sets.groups.items():
        parts = moments.sums(kind)
        inner = (slice(None), *[slice(1, None)] * len(kind))
        found = scipy.fft.fftn(parts, axes=tuple(range(1, parts.ndim)))[inner] / parts[0].size
        steps = strides[group.attributes].reshape(*group.attributes.shape, *[1] * len(kind))
        places = np.indices(found.shape[1:]) + 1
        waves[(steps * places).sum(axis=1)] = found
    return waves


def _all_sets(mechanism: JuntaMechanism) -> Iterator[Numbers]:
    """All that a report may know."""
    varying = [attribute for attribute, size in enumerate(mechanism.sizes) if size > 1]
    for degree in range(1, min(mechanism.most_slots, len(varying)) + 1):
        yield np.array(list(itertools.combinations(varying, degree)), dtype=np.int64)


def _refuse_many_cells(cells: int) -> None:
    if cells > MOST_CELLS:
        advice = "Use lowkey.estimate.estimate_tables, which gives the answers without the cells."
        raise TooLarge("the estimate of the cells", f"{cells:,} numbers", f"at most {MOST_CELLS:,}", advice)
