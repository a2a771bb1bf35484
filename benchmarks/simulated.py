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
from lowkey.estimate import TableEstimate, estimate_ordered, estimate_tables, exact_answers
from lowkey.mechanisms import SampledMechanism
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.generated import GeneratedMechanism
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.optimize.budget import Budget
from lowkey.optimize.invariant.search import InvariantSearch
from lowkey.workloads import Workload

EPSILON, PEOPLE, ORDERED = 1.0, 400, "ordered"
MIXED = (4, 3, 2, 5, 2, 3)

Shown = tuple[float, float, float]  # error / claimed, its standard error, the share of intervals that hold


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


def _say(record: Record, case: str, workload: Workload, found: Shown) -> None:
    ratio, error, held = found
    record.say(f"{case:28}{workload.shape[0]:8,} {ratio:16.4f} {error:17.4f} {held:15.2%}")


def _simulated_ordered(workload: Workload, collections: int) -> Shown:
    """Of a mechanism that draws attributes beside an ordered one: the error depends on the ordered values."""
    analysis = lk.optimize(workload, EPSILON).analysis
    mechanism = analysis.mechanism
    assert isinstance(mechanism, SampledMechanism)

    def claimed(places: np.ndarray) -> float:
        cells = np.ravel_multi_index(tuple(places.T), mechanism.sizes)
        return analysis.total_variance(np.bincount(cells, minlength=workload.shape[1]))

    return _collected(
        workload, mechanism, claimed, lambda found: estimate_ordered(mechanism, found, workload), collections
    )


def _simulated(workload: Workload, mechanism: InvariantMechanism, collections: int) -> Shown:
    tables, interactions = workload.tables(), workload.interactions
    assert tables is not None
    assert interactions is not None
    variance = PEOPLE * mechanism.variance(interactions)

    def estimated(found: Responses) -> TableEstimate:
        return estimate_tables(mechanism, found, tables)

    return _collected(workload, mechanism, lambda places: variance, estimated, collections)


def _collected(
    workload: Workload,
    mechanism: GeneratedMechanism,
    claimed: Callable[[np.ndarray], float],
    estimated: Callable[[Responses], TableEstimate],
    collections: int,
) -> Shown:
    """The same people report again and again."""
    rng = np.random.default_rng(0)
    places = _people(mechanism.sizes, rng)
    truth, errors, held = exact_answers(workload, places), [], 0.0
    for _ in range(collections):
        outputs, counts = np.unique(mechanism.report(places, rng), return_counts=True)
        found = estimated(Responses(counts.astype(np.float64), PEOPLE, outputs))
        off = found.answers - truth
        errors.append(float(off @ off))
        reach = float(ndtri(0.975)) * np.sqrt(np.maximum(found.variances, 0.0))
        held += float((np.abs(off) <= reach + 1e-9 * PEOPLE).mean())
    shares = np.array(errors) / claimed(places)
    return float(shares.mean()), float(shares.std() / np.sqrt(collections)), held / collections


def _people(sizes: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Lopsided and correlated: the value 0 is likely, and half of the people have it everywhere or nowhere."""
    drawn = np.stack([np.minimum(rng.geometric(0.6, PEOPLE) - 1, size - 1) for size in sizes], axis=1)
    drawn[: PEOPLE // 2] = 0
    return drawn


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, *sys.argv[2:3])
