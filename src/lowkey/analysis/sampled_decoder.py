"""The best unbiased decoder of a mechanism that draws attributes, for workloads of ordered interactions."""

from __future__ import annotations

import math

import numpy as np

from lowkey.analysis.attribute_sets import distinct_rows
from lowkey.analysis.by_value import ByValue
from lowkey.analysis.decoder import Decoder
from lowkey.analysis.sampled_information import SampledInformation
from lowkey.analysis.slot_transforms import convolved, transform
from lowkey.checks import Vector
from lowkey.errors import NotAvailable, TooLarge, format_size
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.places import cells_of, places_of
from lowkey.mechanisms.sampled import SampledMechanism
from lowkey.workloads.base import Workload
from lowkey.workloads.ordered import OrderedInteractions, ordered_interactions_of

MOST_CELLS = 2**12


class SampledDecoder(Decoder):
    """Tuned for the mechanism's own prior over the ordered attribute's values."""

    def __init__(self, mechanism: SampledMechanism) -> None:
        self.mechanism = mechanism
        self.information = SampledInformation(mechanism)

    def estimate_cells(self, responses: Responses) -> Vector:
        """Draw by draw: what its reports say of value and slots, spread evenly over the other attributes."""
        mechanism = self.mechanism
        _refuse_many_cells(mechanism.domain_size)
        outputs, counts = responses.tally()
        drawn, patterns, shifts = mechanism.decode(outputs)
        shape = (len(mechanism.patterns), *mechanism.slot_sizes)
        reports = cells_of(np.column_stack([patterns, shifts]), shape)
        kernels = self.information.kernels.reshape(shape[0], mechanism.values, *mechanism.slot_sizes)
        places, cells = places_of(np.arange(mechanism.domain_size), mechanism.sizes), np.zeros(mechanism.domain_size)
        for rows in distinct_rows(drawn):
            tally = np.bincount(reports[rows], counts[rows], math.prod(shape)).astype(np.float64).reshape(shape)
            own = places[:, [mechanism.attribute, *drawn[rows[0]]]]
            cells += convolved(kernels, transform(tally, 1))[tuple(own.T)]
        estimated: Vector = cells * (mechanism.values * mechanism.slot_cells / mechanism.domain_size)
        return estimated

    def variance(self, workload: Workload) -> ByValue:
        ordered = shared_blocks(workload, self.mechanism)
        if ordered is None:
            raise NotAvailable(
                "the variance of this decoder",
                f"asked for {workload.name}",
                f"tables times queries on attribute {self.mechanism.attribute} of sizes {self.mechanism.sizes}",
            )
        return ByValue(self.information.variance(ordered), self.mechanism.attribute, self.mechanism.sizes)


def _refuse_many_cells(cells: int) -> None:
    if cells > MOST_CELLS:
        advice = 'Use method "unbiased", or lowkey.estimate.estimate_ordered: the answers come without the cells.'
        raise TooLarge("the estimate of the cells", f"{format_size(cells)} numbers", f"at most {MOST_CELLS:,}", advice)


def shared_blocks(workload: Workload, mechanism: SampledMechanism) -> OrderedInteractions | None:
    """The workload's, if it has none but the mechanism's ordered attribute."""
    found = workload.ordered_interactions
    if found is None or found.attribute != mechanism.attribute:
        found = ordered_interactions_of(workload, mechanism.attribute)
    return found if found is not None and found.sizes == mechanism.sizes else None
