"""What analysis claims against what collections show: the mean squared error of 1,000 simulated collections.

`python -m benchmarks.simulated [collections [ordered]]`: for each kind of mechanism the total squared error of all
answers, as a share of the one claimed, with the standard error of that share, and how many 95% intervals hold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

import lowkey as lk
from benchmarks.record import Record
from lowkey.estimate import estimate_ordered, estimate_tables
from lowkey.mechanisms import SampledMechanism
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.optimize.budget import Budget
from lowkey.optimize.invariant.search import InvariantSearch
from lowkey.workloads import Workload

EPSILON, PEOPLE, ORDERED = 1.0, 400, "ordered"
MIXED = (4, 3, 2, 5, 2, 3)


def _search(workload: Workload) -> InvariantSearch:
    assert workload.interactions is not None
    return InvariantSearch(workload.interactions, EPSILON, Budget(10.0), seed=0)


CASES: dict[str, tuple[Workload, Callable[[Workload], InvariantMechanism]]] = {
    "group, 6 binary": (lk.workloads.all_marginals([2] * 6), lambda workload: _search(workload).by_whole_patterns(32)),
    "group, 4 × 3 × 5": (
        lk.workloads.all_marginals([4, 3, 5]),
        lambda workload: _search(workload).by_whole_patterns(8),
    ),
    "junta, 12 binary": (lk.workloads.k_way_marginals([2] * 12, 3), lambda workload: _search(workload).by_attributes()),
    "junta, 30 binary": (lk.workloads.k_way_marginals([2] * 30, 2), lambda workload: _search(workload).by_attributes()),
    "junta, 40 binary, parities": (lk.workloads.parity(40, 2), lambda workload: _search(workload).by_attributes()),
    "junta, 6 categorical": (
        lk.workloads.k_way_marginals(MIXED, 2),
        lambda workload: _search(workload).by_attributes(),
    ),
}


def main(collections: int = 1000, part: str = "") -> None:
    name = f"simulated_{part}" if part else "simulated"
    record = Record(name, f"{collections:,} collections from {PEOPLE} people, ε = {EPSILON:g}")
    record.say(
        f"{'mechanism':28}{'queries':>8} {'error / claimed':>16} {'± standard error':>17} {'intervals hold':>15}"
    )
    for case, (workload, design) in CASES.items() if part != ORDERED else ():
        _say(record, case, workload, _simulated(workload, design(workload), collections))
    if part in ("", ORDERED):
        workload = lk.workloads.product([lk.workloads.prefix(6), lk.workloads.k_way_marginals([2] * 6, 2)])
        _say(record, "ordered, 6 values × 6 binary", workload, _simulated_ordered(workload, collections))
    record.write()


def _say(record: Record, case: str, workload: Workload, found: tuple[float, float, float]) -> None:
    ratio, error, held = found
    record.say(f"{case:28}{workload.shape[0]:8,} {ratio:16.4f} {error:17.4f} {held:15.2%}")


def _simulated_ordered(workload: Workload, collections: int) -> tuple[float, float, float]:
    """Of a mechanism that draws attributes beside an ordered one: the error depends on the ordered values."""
    rng = np.random.default_rng(0)
    analysis = lk.optimize(workload, EPSILON).analysis
    mechanism = analysis.mechanism
    assert isinstance(mechanism, SampledMechanism)
    places = _people(mechanism.sizes, rng)
    x = np.bincount(np.ravel_multi_index(tuple(places.T), mechanism.sizes), minlength=workload.shape[1])
    truth, errors, held = workload.matvec(x.astype(np.float64)), [], 0.0
    for _ in range(collections):
        outputs, counts = np.unique(mechanism.report(places, rng), return_counts=True)
        found = estimate_ordered(mechanism, Responses(counts.astype(np.float64), PEOPLE, outputs), workload)
        off = found.answers - truth
        errors.append(float(off @ off))
        reach = float(ndtri(0.975)) * np.sqrt(np.maximum(found.variances, 0.0))
        held += float((np.abs(off) <= reach + 1e-9 * PEOPLE).mean())
    shares = np.array(errors) / analysis.total_variance(x)
    return float(shares.mean()), float(shares.std() / np.sqrt(collections)), held / collections


def _simulated(workload: Workload, mechanism: InvariantMechanism, collections: int) -> tuple[float, float, float]:
    rng = np.random.default_rng(0)
    tables = workload.tables()
    assert tables is not None
    assert workload.interactions is not None
    places = _people(mechanism.sizes, rng)
    truth = _answers(workload, tables, places)
    errors, held = [], 0.0
    for _ in range(collections):
        outputs, counts = np.unique(mechanism.report(places, rng), return_counts=True)
        found = estimate_tables(mechanism, Responses(counts.astype(np.float64), PEOPLE, outputs), tables)
        off = found.answers - truth
        errors.append(float(off @ off))
        reach = float(ndtri(0.975)) * np.sqrt(np.maximum(found.variances, 0.0))
        held += float((np.abs(off) <= reach + 1e-9 * PEOPLE).mean())
    shares = np.array(errors) / (PEOPLE * mechanism.variance(workload.interactions))
    return float(shares.mean()), float(shares.std() / np.sqrt(collections)), held / collections


def _people(sizes: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Lopsided and correlated: the value 0 is likely, and half of the people have it everywhere or nowhere."""
    drawn = np.stack([np.minimum(rng.geometric(0.6, PEOPLE) - 1, size - 1) for size in sizes], axis=1)
    drawn[: PEOPLE // 2] = 0
    return drawn


def _answers(workload: Workload, tables: object, places: np.ndarray) -> np.ndarray:
    sizes, found = workload.sizes, []
    for table in tables:  # type: ignore[attr-defined]
        own = places[:, list(table.attributes)]
        if table.is_parity:
            found.append([table.weight * float((1 - 2 * (own.sum(axis=1) % 2)).sum())])
            continue
        shape = [sizes[attribute] for attribute in table.attributes]
        cells = np.ravel_multi_index(tuple(own.T), shape) if shape else np.zeros(len(own), dtype=int)
        found.append(table.weight * np.bincount(cells, minlength=int(np.prod(shape))))
    return np.concatenate(found)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, *sys.argv[2:3])
