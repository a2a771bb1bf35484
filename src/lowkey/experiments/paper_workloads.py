"""The paper's six workloads by name, for a domain of n cells; those over attributes take n = 2^d as d binary ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import MappingProxyType

from lowkey import workloads
from lowkey.checks import check_choice, check_size
from lowkey.errors import NotAvailable
from lowkey.workloads import Workload

DEGREE = 3  # of the marginals and parities: the paper's, and its authors' code's


def _binary(n: int) -> int:
    """How many binary attributes have n combinations."""
    if n < 2 or n & (n - 1):
        raise NotAvailable("a workload over binary attributes", f"asked for with n = {n}", "a power of two")
    return n.bit_length() - 1


CONSTRUCTORS: MappingProxyType[str, Callable[[int], Workload]] = MappingProxyType(
    {
        "histogram": workloads.histogram,
        "prefix": workloads.prefix,
        "all_range": workloads.all_range,
        "all_marginals": lambda n: workloads.all_marginals([2] * _binary(n)),
        "3way_marginals": lambda n: workloads.k_way_marginals([2] * _binary(n), DEGREE),
        "parity": lambda n: workloads.parity(_binary(n), DEGREE),
    }
)
PAPER_WORKLOADS = tuple(CONSTRUCTORS)
LOW_DEGREE = ("3way_marginals", "parity")  # characters of degree ≤ 3 answer them: the authors' Fourier takes no more


@cache
def paper_workload(name: str, n: int = 64) -> Workload:
    """One of the six.

    >>> paper_workload("all_marginals", 8).shape
    (27, 8)
    """
    check_choice("the workload", name, PAPER_WORKLOADS)
    return CONSTRUCTORS[name](check_size("n", n))
