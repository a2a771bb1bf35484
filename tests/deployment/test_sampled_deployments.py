"""Deployments of mechanisms that draw attributes: what a round trip keeps, and what is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deployment_files import Document, data_of, edited, in_strategy

import lowkey as lk
from lowkey.deployment import Deployment, deploy, load
from lowkey.errors import InvalidInput
from lowkey.mechanisms import SampledMechanism
from sampled_cases import random_sampled

SCHEMA = lk.Schema([lk.Categorical("a", [0, 1]), lk.Ordered("b", edges=[0, 1, 2, 3]), lk.Categorical("c", [0, 1])])
WORKLOAD = lk.workloads.product([lk.workloads.prefix(3), lk.workloads.k_way_marginals([2, 2], 1)]).on(
    SCHEMA, "b", "a", "c"
)
PRIORS = [None, [0.2, 0.3, 0.5]]


def survey(prior: Any = None) -> Deployment:
    return deploy(SCHEMA, WORKLOAD, random_sampled((2, 3, 2), 1, [(0, 2)], ordered_prior=prior, patterns=10))


@pytest.mark.parametrize("prior", PRIORS, ids=["even", "prior"])
def test_a_round_trip_keeps_the_mechanism_and_the_digest(prior: Any, tmp_path: Path) -> None:
    made = survey(prior)
    made.verify()
    made.save(tmp_path / "a")
    read = load(tmp_path / "a")
    read.verify()
    assert read == made
    assert isinstance(read.mechanism, SampledMechanism)
    np.testing.assert_array_equal(read.mechanism.to_dense(), made.mechanism.to_dense())
    np.testing.assert_array_equal(read.mechanism.ordered_prior, made.mechanism.ordered_prior)  # type: ignore[attr-defined]
    read.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_file_says_its_version_and_kind(tmp_path: Path) -> None:
    survey().save(tmp_path / "a")
    document = json.loads((tmp_path / "a").read_text())
    assert (document["version"], document["strategy"]["kind"]) == (2, "sampled")
    assert "ordered_prior" not in document["strategy"]
    assert document["digest"] == json.loads(edited(tmp_path / "a", dict, reseal=True).read_text())["digest"]


def heavier(document: Document) -> None:
    document["strategy"]["weights"][0] *= 1.001


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (heavier, "digest of the deployment file"),
        (in_strategy(attribute=0), "digest of the deployment file"),
        (in_strategy(data=data_of(50_000_000)), "shorter or longer"),
        (in_strategy(data=data_of(10)), "not what its SHA-256"),
        (lambda document: document.update(epsilon=2.0), "digest of the deployment file"),
    ],
)
def test_damage_and_alterations_are_noticed(edit: Callable[[Document], object], message: str, tmp_path: Path) -> None:
    survey().save(tmp_path / "a")
    with pytest.raises(InvalidInput, match=message):
        load(edited(tmp_path / "a", edit))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (heavier, r"weights is ones with which the columns of value \d sum to 1\.0"),
        (lambda document: document.update(epsilon=2.0), "columns of value . sum to"),
        (lambda document: document.update(epsilon=0.5), "columns of value . sum to"),
        (in_strategy(weights=[0.0] * 10), "'strategy.weights.0' of the deployment file"),
        (in_strategy(weights=[0.1] * 9), "shorter or longer"),
        (in_strategy(weights=[math.inf] * 10), "not .*finite|deployment file"),
        (in_strategy(attribute=3), "ordered attribute in the file is 3; expected one of the 3 attributes"),
        (in_strategy(attribute=-1), "'strategy.attribute' of the deployment file"),
        (in_strategy(slots=[1]), "pool of a slot in the file is 1; expected .* one of 1 pools"),
        (in_strategy(slots=[0] * 70), "'strategy.slots' of the deployment file"),
        (in_strategy(slots=[0] * 40), "patterns is 10 × .* at most 268,435,456"),
        (in_strategy(sizes=[2, 2**60, 2]), "patterns is 10 × .* at most 268,435,456"),
        (in_strategy(sizes=[2, 3, 4]), "patterns is of shape .3, 2."),
        (in_strategy(sizes=[2, 3, 2, 2]), "strategy is over 24 cells"),
        (in_strategy(pools=[[0, 9]]), "with attribute 9; expected other attributes"),
        (in_strategy(pools=[[0, 1]]), "with attribute 1; expected other attributes"),
        (in_strategy(pools=[[2, 0]]), "digest of what was read"),
        (in_strategy(pools=[[0, 2], [0, 2]]), "digest of what was read"),
        (in_strategy(ordered_prior=[1.0, 2.0]), "prior"),
        (in_strategy(ordered_prior=[1.0, 2.0, 3.0]), "digest of what was read"),
        (in_strategy(surprise=1), "'strategy.surprise' of the deployment file"),
    ],
)
def test_a_resealed_file_with_wrong_content_is_refused(
    edit: Callable[[Document], object], message: str, tmp_path: Path
) -> None:
    survey().save(tmp_path / "a")
    with pytest.raises(InvalidInput, match=message):
        load(edited(tmp_path / "a", edit, reseal=True))
