"""Workloads: the queries that an analyst cares about."""

from lowkey.workloads.base import Workload
from lowkey.workloads.combine import product, renamed, stack
from lowkey.workloads.document import workload_from_document
from lowkey.workloads.explicit import from_matrix
from lowkey.workloads.marginals import all_marginals, k_way_marginals
from lowkey.workloads.parities import parity
from lowkey.workloads.ranges import all_range, histogram, prefix, ranges
from lowkey.workloads.sql import sql

__all__ = [
    "Workload",
    "all_marginals",
    "all_range",
    "from_matrix",
    "histogram",
    "k_way_marginals",
    "parity",
    "prefix",
    "product",
    "ranges",
    "renamed",
    "sql",
    "stack",
    "workload_from_document",
]
