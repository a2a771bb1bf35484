"""Every workload at small sizes beside its matrix written out query by query, and strategies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

import hypothesis.strategies as st
import numpy as np
import scipy.sparse as sp

from lowkey import workloads
from lowkey.checks import Matrix
from lowkey.schema import Categorical, Ordered, Schema
from lowkey.workloads import Workload

SCHEMA = Schema(
    [
        Categorical("plan", ["free", "pro"]),
        Ordered("age", edges=[0, 18, 65, 120]),
        Categorical("only", ["one"]),
        Categorical("member", [False, True]),
    ]
)


@dataclass(frozen=True)
class Case:
    """A workload, the matrix that it must be, and the schema that it is placed on."""

    workload: Workload
    dense: Matrix
    schema: Schema | None = None

    def __str__(self) -> str:
        return f"{self.workload.name}-{self.workload.shape[0]}x{self.workload.shape[1]}"


# -- the definitions, word for word --------------------------------------------------------------------------


def histogram_matrix(n: int) -> Matrix:
    return np.array([[float(cell == query) for cell in range(n)] for query in range(n)])


def prefix_matrix(n: int) -> Matrix:
    return np.array([[float(cell <= query) for cell in range(n)] for query in range(n)])


def ranges_matrix(n: int, narrowest: int, widest: int) -> Matrix:
    queries = [(a, b) for a in range(n) for b in range(a, n) if narrowest <= b - a + 1 <= widest]
    return np.array([[float(a <= cell <= b) for cell in range(n)] for a, b in queries])


def marginals_matrix(sizes: Sequence[int], degrees: Sequence[int]) -> Matrix:
    cells = list(product(*(range(size) for size in sizes)))
    return np.array(
        [
            [float(all(cell[i] == value for i, value in zip(subset, values, strict=True))) for cell in cells]
            for degree in degrees
            for subset in combinations(range(len(sizes)), degree)
            for values in product(*(range(sizes[i]) for i in subset))
        ]
    )


def parity_matrix(d: int, k: int) -> Matrix:
    cells = list(product((0, 1), repeat=d))
    subsets = [subset for degree in range(k + 1) for subset in combinations(range(d), degree)]
    return np.array([[(-1.0) ** sum(cell[i] for i in subset) for cell in cells] for subset in subsets])


def placed_matrix(matrix: Matrix, schema: Schema, attributes: Sequence[str]) -> Matrix:
    sizes = [schema[name].size for name in attributes]
    columns = []
    for cell in product(*(range(size) for size in schema.sizes)):
        own = [cell[schema.names.index(name)] for name in attributes]
        columns.append(matrix[:, list(product(*(range(size) for size in sizes))).index(tuple(own))])
    return np.stack(columns, axis=1)


def product_matrix(left: Matrix, right: Matrix) -> Matrix:
    return np.array([[a * b for a in first for b in second] for first in left for second in right])


# -- the cases ---------------------------------------------------------------------------

MATRIX = np.array([[1.0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [2, 2, 0, 0], [-1, 0.5, 0, 3]])


def leaf_cases() -> Iterator[Case]:
    for n in (1, 2, 5, 8):
        yield Case(workloads.histogram(n), histogram_matrix(n))
        yield Case(workloads.prefix(n), prefix_matrix(n))
        yield Case(workloads.all_range(n), ranges_matrix(n, 1, n))
    for n, low, high in [(1, 1, 1), (5, 2, 3), (5, 5, 5), (6, 1, 4), (7, 3, 7), (9, 4, 4), (8, 1, 8)]:
        yield Case(workloads.ranges(n, low, high), ranges_matrix(n, low, high))
    for sizes in ([1], [4], [2, 2, 2], [3, 1, 2], [2, 3, 4]):
        degrees = range(len(sizes) + 1)
        yield Case(workloads.all_marginals(sizes), marginals_matrix(sizes, degrees))
        for k in degrees:
            yield Case(workloads.k_way_marginals(sizes, k), marginals_matrix(sizes, [k]))
    for d, k in [(1, 0), (1, 1), (3, 1), (3, 2), (4, 4)]:
        yield Case(workloads.parity(d, k), parity_matrix(d, k))
    yield Case(workloads.from_matrix(MATRIX), MATRIX)
    yield Case(workloads.from_matrix(sp.csc_matrix(MATRIX), labels=list("abcde")), MATRIX)
    yield Case(workloads.from_matrix(sp.coo_array(MATRIX[:1])), MATRIX[:1])


def combined_cases() -> Iterator[Case]:
    prefix, histogram = workloads.prefix(4), workloads.histogram(4)
    inner = workloads.stack([prefix, histogram], weights=[2, 0.5])
    inner_matrix = np.concatenate([2 * prefix_matrix(4), 0.5 * histogram_matrix(4)])
    yield Case(workloads.stack([prefix]), prefix_matrix(4))
    yield Case(inner, inner_matrix)
    nested = workloads.stack([inner, workloads.from_matrix(MATRIX), workloads.parity(2, 1)], weights=[3, 1, 0.1])
    nested_matrix = np.concatenate([3 * inner_matrix, MATRIX, 0.1 * parity_matrix(2, 1)])
    yield Case(nested, nested_matrix)
    yield Case(workloads.renamed(nested, "everything"), nested_matrix)
    yield Case(workloads.product([prefix]), prefix_matrix(4))
    yield Case(
        workloads.product([prefix, workloads.all_range(3)]),
        product_matrix(prefix_matrix(4), ranges_matrix(3, 1, 3)),
    )
    marginals = workloads.k_way_marginals([2, 3], 1)
    three = product_matrix(product_matrix(marginals_matrix([2, 3], [1]), inner_matrix), prefix_matrix(1))
    yield Case(workloads.product([marginals, inner, workloads.prefix(1)]), three)


def placed_cases() -> Iterator[Case]:
    inner = workloads.stack([workloads.prefix(3), workloads.histogram(3)], weights=[2, 1])
    for workload, attributes in [
        (workloads.prefix(3), ["age"]),
        (workloads.all_range(3), ["age"]),
        (workloads.histogram(1), ["only"]),
        (workloads.histogram(6), ["age", "plan"]),
        (workloads.all_marginals([2, 2, 3]), ["member", "plan", "age"]),
        (workloads.k_way_marginals([2, 3, 1, 2], 2), list(SCHEMA.names)),
        (workloads.parity(2, 2), ["member", "plan"]),
        (workloads.product([workloads.prefix(3), workloads.histogram(2)]), ["age", "member"]),
        (workloads.renamed(inner, "ages"), ["age"]),
        (inner, ["age"]),
    ]:
        dense = placed_matrix(workload.to_dense(), SCHEMA, attributes)
        yield Case(workload.on(SCHEMA, *attributes), dense, SCHEMA)
    parts = [workloads.prefix(3).on(SCHEMA, "age"), workloads.histogram(2).on(SCHEMA, "plan")]
    dense = np.concatenate([3 * parts[0].to_dense(), parts[1].to_dense()])
    yield Case(workloads.stack(parts, weights=[3, 1]), dense, SCHEMA)
    people = product((0, 1), (0, 1, 2), (0,), (False, True))
    grown = [[float(age >= 1 and plan == 1), float(member)] for plan, age, _, member in people]
    queries = workloads.sql(SCHEMA, ["age >= 18 AND plan = 'pro'", "member"])
    yield Case(queries, np.array(grown).T, SCHEMA)


CASES = [*leaf_cases(), *combined_cases(), *placed_cases()]


# -- strategies ---------------------------------------------------------------------------


def leaves(n: int) -> st.SearchStrategy[Workload]:
    """A workload over n cells that is not made of others."""
    matrices = st.lists(st.lists(st.integers(-2, 2), min_size=n, max_size=n), min_size=1, max_size=3)
    widths = st.tuples(st.integers(1, n), st.integers(1, n)).map(sorted)
    return st.one_of(
        st.sampled_from([workloads.histogram(n), workloads.prefix(n), workloads.all_range(n)]),
        widths.map(lambda pair: workloads.ranges(n, pair[0], pair[1])),
        st.sampled_from([workloads.all_marginals([n]), workloads.k_way_marginals([n], 1)]),
        matrices.map(workloads.from_matrix),
    )


def stacks(n: int) -> st.SearchStrategy[tuple[list[Workload], list[float]]]:
    """Workloads over n cells, some of them stacks themselves, and their weights."""
    inner = st.lists(leaves(n), min_size=1, max_size=3).map(workloads.stack)
    pairs = st.tuples(leaves(n) | inner, st.floats(0.125, 8))
    return st.lists(pairs, min_size=1, max_size=4).map(lambda drawn: ([w for w, _ in drawn], [v for _, v in drawn]))


@st.composite
def placements(draw: st.DrawFn) -> tuple[Workload, Schema, list[str]]:
    """A schema of up to four attributes, some of them in some order, and a workload over these."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    schema = Schema([Categorical(f"a{i}", range(size)) for i, size in enumerate(sizes)])
    names = draw(st.permutations(schema.names))[: draw(st.integers(1, len(sizes)))]
    return draw(leaves(prod(schema[name].size for name in names))), schema, list(names)
