"""The best unbiased decoder of a mechanism that draws attributes, for workloads of ordered interactions."""

from __future__ import annotations

from lowkey.analysis.by_value import ByValue
from lowkey.analysis.decoder import Decoder
from lowkey.analysis.sampled_information import SampledInformation
from lowkey.checks import Vector
from lowkey.errors import NotAvailable
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.sampled import SampledMechanism
from lowkey.workloads.base import Workload
from lowkey.workloads.ordered import OrderedInteractions, ordered_interactions_of


class SampledDecoder(Decoder):
    """Tuned for the mechanism's own prior over the ordered attribute's values."""

    def __init__(self, mechanism: SampledMechanism) -> None:
        self.mechanism = mechanism
        self.information = SampledInformation(mechanism)

    def estimate_cells(self, responses: Responses) -> Vector:
        advice = "Use lowkey.estimate.estimate_ordered, which gives the answers without the cells."
        raise NotAvailable(
            "the estimate of the cells", f"asked of {self.mechanism.name}", "a strategy in a list", advice
        )

    def variance(self, workload: Workload) -> ByValue:
        ordered = shared_blocks(workload, self.mechanism)
        if ordered is None:
            raise NotAvailable(
                "the variance of this decoder",
                f"asked for {workload.name}",
                f"tables times queries on attribute {self.mechanism.attribute} of sizes {self.mechanism.sizes}",
            )
        return ByValue(self.information.variance(ordered), self.mechanism.attribute, self.mechanism.sizes)


def shared_blocks(workload: Workload, mechanism: SampledMechanism) -> OrderedInteractions | None:
    """The workload's, if it has none but the mechanism's ordered attribute."""
    found = workload.ordered_interactions
    if found is None or found.attribute != mechanism.attribute:
        found = ordered_interactions_of(workload, mechanism.attribute)
    return found if found is not None and found.sizes == mechanism.sizes else None
