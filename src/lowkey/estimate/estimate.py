"""estimate: the answers that a collection gives, and how far off they may be."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Any, Literal, get_args

import narwhals as nw
import numpy as np

from lowkey.analysis.decoder import Decoder
from lowkey.analysis.reconstruction import best_decoder
from lowkey.attributes import Attribute
from lowkey.checks import Vector, check_choice
from lowkey.counts import Counts
from lowkey.deployment import Deployment
from lowkey.errors import InvalidInput, TooLarge, format_size
from lowkey.estimate.consistent_answers import consistent_answers
from lowkey.estimate.intervals import check_confidence, normal_interval
from lowkey.estimate.unbiased import LISTED_CELLS, unbiased_answers
from lowkey.mechanisms.base import Mechanism, Responses
from lowkey.workloads.base import Family, Workload

METHODS = ("unbiased", "wnnls")
Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)


@dataclass(frozen=True, eq=False)
class Estimate:
    """The estimated answers W x, one a query, from the reports of `users` people.

    `answers`, `standard_errors`, `low` and `high` are for the queries as they stand in the workload, weights
    included; `rows()` and `to_frame()` take the weights out again. `cells` is the estimated data vector behind
    them; `known_cells` is None where marginals were answered without it, over many cells. With method "wnnls"
    errors and bounds are NaN: no honest ones are known for it (see `estimate`).
    """

    workload: Workload
    known_cells: Vector | None = field(repr=False)
    answers: Vector
    standard_errors: Vector
    low: Vector
    high: Vector
    method: str
    users: int
    confidence: float
    provenance: Mapping[str, object]
    attributes: Sequence[Attribute] = field(default=(), repr=False)

    @property
    def cells(self) -> Vector:
        """The estimated data vector; refused where the answers came without it."""
        if self.known_cells is None:
            arrived, expected = f"{format_size(self.workload.shape[1])} numbers", f"at most {LISTED_CELLS:,}"
            raise TooLarge("the estimate of the cells", arrived, expected, "Use answers, rows() or to_frame().")
        return self.known_cells

    def rows(self) -> Iterator[tuple[str, str, float, float, float]]:
        """(family, query, answer, low, high) of each query, without its family's weight."""
        return chain.from_iterable(map(self.family_rows, self.workload.families))

    def family_rows(self, family: Family) -> Iterator[tuple[str, str, float, float, float]]:
        """The same of one of the workload's families; words are made as they are asked for."""
        own = slice(family.start, family.stop)
        numbers = ((values[own] / family.weight).tolist() for values in (self.answers, self.low, self.high))
        return zip(repeat(family.name), self._labels(family), *numbers)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A dataframe of pandas, polars or pyarrow (None: the first that is installed), one row a query.

        Columns: family, query, answer, low, high, standard_error; numbers of people, without families' weights.
        """
        chosen = _check_backend(backend)
        families = self.workload.families
        sizes = [family.stop - family.start for family in families]
        weights = np.repeat([family.weight for family in families], sizes)
        columns = {
            "family": [name for family, size in zip(families, sizes, strict=True) for name in [family.name] * size],
            "query": list(chain.from_iterable(map(self._labels, families))),
            "answer": self.answers / weights,
            "low": self.low / weights,
            "high": self.high / weights,
            "standard_error": self.standard_errors / weights,
        }
        return nw.from_dict(columns, backend=chosen).to_native()

    def _labels(self, family: Family) -> Iterator[str]:
        return family.workload.descriptions(self.attributes or self.workload.axes)


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
    answers' errors would be wrong for it, so it comes without intervals. Over many cells, non-negative tables
    that agree with each other (see `consistent_tables`), of as many people as reported unless a total is given.

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
    provenance: dict[str, object] = {"method": method, "lowkey": importlib.metadata.version("lowkey")}
    if method == "wnnls":
        made, distance = consistent_answers(workload, decoder, responses, people)
        provenance["distance from the optimum"] = distance
    else:
        made = unbiased_answers(workload, mechanism, decoder, responses)
    low, high = normal_interval(made.answers, made.errors, level)
    users = responses.users
    return Estimate(workload, made.cells, made.answers, made.errors, low, high, method, users, level, provenance)


def _check_binding(deployment: object, counts: object) -> None:
    if not isinstance(deployment, Deployment):
        raise InvalidInput("the deployment", deployment, "a Deployment", "Use deploy or load.")
    if not isinstance(counts, Counts):
        advice = "Use Counts.from_reports(deployment, reports)."
        raise InvalidInput("the counts", counts, "a Counts", advice)
    if counts.digest != deployment.digest or counts.outputs != deployment.outputs:
        raise InvalidInput(
            "the deployment of the counts",
            f"{counts.digest} ({counts.outputs:,} outputs)",
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
