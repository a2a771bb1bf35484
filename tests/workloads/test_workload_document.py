"""Documents that cannot be read say why."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lowkey import workloads
from lowkey.errors import InvalidInput
from lowkey.workloads import workload_from_document

PREFIX = {"kind": "prefix", "n": 4}
SPARSE = {"kind": "matrix", "name": "m", "labels": None, "shape": [1, 2], "queries": [0], "cells": [1]}


def test_documents_are_short_and_literal() -> None:
    assert workloads.prefix(4).document() == PREFIX
    assert workloads.ranges(4, 2, 3).document() == {"kind": "ranges", "n": 4, "min_width": 2, "max_width": 3}
    assert workloads.k_way_marginals([2, 3], 1).document() == {
        "kind": "k_way_marginals",
        "sizes": [2, 3],
        "k": 1,
    }
    assert workloads.stack([workloads.prefix(4)], [2]).document() == {
        "kind": "stack",
        "parts": [PREFIX],
        "weights": [2.0],
    }


def test_a_sparse_matrix_writes_its_entries_only() -> None:
    document = workloads.from_matrix(sp.csr_array(([3.0], ([0], [70])), shape=(2, 100))).document()
    assert document == {
        "kind": "matrix",
        "name": "matrix",
        "labels": None,
        "shape": [2, 100],
        "queries": [0],
        "cells": [70],
        "values": [3.0],
    }


def test_every_bit_of_a_coefficient_survives() -> None:
    matrix = np.random.default_rng(0).normal(size=(3, 4))
    again = workload_from_document(workloads.from_matrix(matrix).document())
    np.testing.assert_array_equal(again.to_dense(), matrix)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, 'a mapping with "kind"'),
        ([PREFIX], 'a mapping with "kind"'),
        ({"n": 4}, '"kind" of the workload document is None'),
        ({"kind": "magic", "n": 4}, "'magic'; expected one of histogram, prefix"),
        ({"kind": ["prefix"], "n": 4}, '"kind"'),
        ({"kind": "prefix"}, "'prefix' is .*'n'"),
        ({"kind": "prefix", "n": 4, "m": 4}, "'prefix' is .*'m'"),
        ({"kind": "prefix", "n": "4"}, "whole number"),
        ({"kind": "stack", "parts": PREFIX, "weights": [1]}, '"parts"'),
        ({"kind": "stack", "parts": [PREFIX], "weights": ["1"]}, "weights"),
        ({"kind": "product", "parts": []}, "the workloads"),
        ({"kind": "renamed", "name": "", "workload": PREFIX}, "name"),
        ({"kind": "placed", "attributes": ["age"], "workload": PREFIX}, "the schema is None"),
        ({"kind": "sql", "queries": ["age > 3"]}, "the schema is None"),
        ({"kind": "matrix", "name": "m", "labels": None}, "the workload matrix"),
        ({"kind": "matrix", "name": "m", "labels": None, "rows": [[1, "x"]]}, "the workload matrix"),
        ({**SPARSE, "values": [1, 2]}, "the workload matrix"),
        ({**SPARSE, "values": [1], "cells": [2]}, "the workload matrix"),
        ({**SPARSE, "values": [1], "cells": [-1]}, "the workload matrix"),
        ({**SPARSE, "values": [1], "cells": [0.5]}, "the workload matrix"),
        ({**SPARSE, "values": ["a"]}, "the workload matrix"),
        ({**SPARSE, "values": [1], "shape": [2]}, "the workload matrix"),
        ({**SPARSE, "values": [1], "shape": None}, "the workload matrix"),
        ({**SPARSE, "values": [1], "shape": 5}, "the workload matrix"),
        ({**SPARSE, "values": [1], "rows": [[1]]}, "the workload matrix"),
        ({**SPARSE, "values": [1], "more": 1}, "the workload matrix"),
    ],
    ids=repr,
)
def test_bad_documents_are_refused(document: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        workload_from_document(document)
