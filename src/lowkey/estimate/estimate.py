"""estimate: the answers that a collection gives, and how far off they may be."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import narwhals as nw
import numpy as np

from lowkey.analysis.decoder import Decoder
from lowkey.analysis.reconstruction import best_decoder
from lowkey.attributes import Attribute
from lowkey.checks import Vector, check_choice
from lowkey.counts import Counts
from lowkey.deployment import Deployment
from lowkey.errors import InvalidInput
from lowkey.estimate.consistent import consistent_cells
from lowkey.estimate.intervals import check_confidence, normal_interval, standard_errors
from lowkey.estimate.unbiased import unbiased_cells
from lowkey.mechanisms.base import Mechanism, Responses
from lowkey.workloads.base import Workload

METHODS = ("unbiased", "wnnls")
Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)


@dataclass(frozen=True, eq=False)
class Estimate:
    """The estimated answers W x, one a query, from the reports of `users` people.

    `answers`, `standard_errors`, `low` and `high` are for the queries as they stand in the workload, weights
    included; `rows()` and `to_frame()` take the weights out again. `cells` is the estimated data vector behind
    them. With method "wnnls" errors and bounds are NaN: no honest ones are known for it (see `estimate`).
    """

    workload: Workload
    cells: Vector
    answers: Vector
    standard_errors: Vector
    low: Vector
    high: Vector
    method: str
    users: int
    confidence: float
    provenance: Mapping[str, object]
    attributes: Sequence[Attribute] = field(default=(), repr=False)

    def rows(self) -> Iterator[tuple[str, str, float, float, float]]:
        """(family, query, answer, low, high) of each query, without its family's weight."""
        for name, start, stop, weight in self._families():
            for query in range(start, stop):
                answer, low, high = (values[query] / weight for values in (self.answers, self.low, self.high))
                yield name, self._label(query), float(answer), float(low), float(high)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A dataframe of pandas, polars or pyarrow (None: the first that is installed), one row a query.

        Columns: family, query, answer, low, high, standard_error; numbers of people, without families' weights.
        """
        chosen = _check_backend(backend)
        weights = np.ones(len(self.answers))
        names: list[str] = []
        for name, start, stop, weight in self._families():
            weights[start:stop] = weight
            names.extend([name] * (stop - start))
        columns = {
            "family": names,
            "query": [self._label(query) for query in range(len(names))],
            "answer": self.answers / weights,
            "low": self.low / weights,
            "high": self.high / weights,
            "standard_error": self.standard_errors / weights,
        }
        return nw.from_dict(columns, backend=chosen).to_native()

    def _families(self) -> Iterator[tuple[str, int, int, float]]:
        for family in self.workload.families:
            yield family.name, family.start, family.stop, family.weight

    def _label(self, query: int) -> str:
        return self.workload.describe(query, self.attributes or self.workload.axes)


def estimate(
    deployment: Deployment,
    counts: Counts,
    method: str = "unbiased",
    confidence: float = 0.95,
    total: float | None = None,
) -> Estimate:
    """The answers to the deployment's workload that the counts give.

    method "unbiased": the best unbiased decoder, with standard errors and intervals at `confidence` for the fixed
    population that reported (they say nothing about people who did not). Answers may be negative or contradict
    each other.
    method "wnnls": the non-negative cells whose answers are closest to the unbiased ones (the paper's appendix A),
    with `total` people if given. Usually closer to the truth and always consistent, but biased: the unbiased
    answers' errors would be wrong for it, so it comes without intervals.

    >>> import lowkey as lk
    >>> from lowkey.deployment import deploy
    >>> from lowkey.simulate import simulate
    >>> from lowkey.schema import Categorical, Schema
    >>> plan = Schema([Categorical("plan", ["free", "pro"])])
    >>> D = deploy(plan, lk.workloads.histogram(2), lk.mechanisms.create("randomized_response", 2, 1.0))
    >>> E = estimate(D, simulate(D, [7000, 3000]))
    >>> bool(E.low[0] < 7000 < E.high[0])
    True
    """
    _check_binding(deployment, counts)
    made = _estimate(
        deployment.workload, deployment.mechanism, deployment.decoder, counts.responses, method, confidence, total
    )
    provenance = {"digest": deployment.digest, **made.provenance}
    return replace(made, provenance=provenance, attributes=tuple(deployment.schema))


def estimate_responses(
    workload: Workload,
    mechanism: Mechanism,
    responses: Responses,
    method: str = "unbiased",
    confidence: float = 0.95,
    total: float | None = None,
) -> Estimate:
    """The same from a mechanism's simulated responses, for studies: also of mechanisms that are not deployed.

    >>> import numpy as np, lowkey as lk
    >>> W, M = lk.workloads.prefix(4), lk.mechanisms.create("rappor", 4, 1.0)
    >>> estimate_responses(W, M, M.simulate([10**9] * 4, np.random.default_rng(0))).users
    4000000000
    """
    decoder = best_decoder(workload, mechanism)
    return _estimate(workload, mechanism, decoder, responses, method, confidence, total)


def _estimate(
    workload: Workload,
    mechanism: Mechanism,
    decoder: Decoder,
    responses: Responses,
    method: str,
    confidence: float,
    total: float | None,
) -> Estimate:
    check_choice("method", method, METHODS)
    level = check_confidence(confidence)
    people = _check_total(total, method)
    if responses.users == 0:
        raise InvalidInput("the collection", "without reports", "at least one")
    cells = unbiased_cells(decoder, responses)
    provenance: dict[str, object] = {"method": method, "lowkey": importlib.metadata.version("lowkey")}
    if method == "wnnls":
        found = consistent_cells(workload, cells, people)
        cells, errors = found.cells, np.full(workload.shape[0], np.nan)
        provenance["distance from the optimum"] = found.distance
    else:
        errors = standard_errors(workload, mechanism, decoder, responses, cells)
    answers = workload.matvec(cells)
    low, high = normal_interval(answers, errors, level)
    return Estimate(workload, cells, answers, errors, low, high, method, responses.users, level, provenance)


def _check_binding(deployment: object, counts: object) -> None:
    if not isinstance(deployment, Deployment):
        raise InvalidInput("the deployment", deployment, "a Deployment", "Use deploy or load.")
    if not isinstance(counts, Counts):
        advice = "Use Counts.from_reports(deployment, reports)."
        raise InvalidInput("the counts", counts, "a Counts", advice)
    if counts.digest != deployment.digest or len(counts.values) != deployment.outputs:
        raise InvalidInput(
            "the deployment of the counts",
            f"{counts.digest} ({len(counts.values):,} outputs)",
            f"{deployment.digest} ({deployment.outputs:,} outputs)",
            "Estimate with the very deployment that the reports were made with.",
        )


def _check_total(total: object, method: str) -> float | None:
    if total is None:
        return None
    if method != "wnnls":
        raise InvalidInput("total", total, f"None with method {method!r}", "Only 'wnnls' can fix the total.")
    expected = "a positive number of people, or None"
    if isinstance(total, bool) or not isinstance(total, numbers.Real) or not 0 < float(total) < np.inf:
        raise InvalidInput("total", total, expected)
    return float(total)


def _check_backend(backend: Backend | None) -> Backend:
    """The backend asked for, or the first there is; refused if it is not installed."""
    if backend is not None:
        check_choice("backend", backend, BACKENDS)
    wanted = BACKENDS if backend is None else (backend,)
    for name in wanted:
        if importlib.util.find_spec(name) is not None:
            return name
    advice = f"Try pip install {wanted[0]}, or use rows(), which needs none."
    raise InvalidInput("the dataframe library", "not installed", " or ".join(wanted), advice)
