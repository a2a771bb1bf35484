"""Deployments of base patterns: what a round trip keeps, what is refused, and that a listed one answers alike."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from deployment_files import Document, data_of, edited, in_strategy

import lowkey as lk
from invariant_cases import random_group
from lowkey.deployment import Deployment, deploy, load
from lowkey.errors import InvalidInput, QueryNotAnswerable
from lowkey.mechanisms import DenseMechanism, GroupMechanism, Junta, JuntaMechanism
from lowkey.mechanisms.invariant import InvariantMechanism

SCHEMA = lk.Schema([lk.Categorical("a", [0, 1]), lk.Categorical("b", [0, 1, 2]), lk.Categorical("c", [0, 1])])
WORKLOAD = lk.workloads.stack([lk.workloads.k_way_marginals([2, 3, 2], 2), lk.workloads.histogram(12)], weights=[2, 1])


def group() -> GroupMechanism:
    return random_group(3, (2, 3, 2))


def juntas() -> JuntaMechanism:
    """A pattern on the two attributes of two values, drawn in either order, and one on everything."""
    rng = np.random.default_rng(0)
    some = Junta(np.array([[True, True], [False, True]]), [(0, 2), (0, 2)], 0.3)
    ordered = Junta(np.array([[True, False], [False, False]]), [(0,), (2,)], 0.2)
    everything = Junta(rng.random((2, 3, 2)) < 0.5, [(0,), (1,), (2,)], 0.5)
    return JuntaMechanism((2, 3, 2), [some, ordered, everything], 1.0)


KINDS = {"group": group, "junta": juntas}
every_kind = pytest.mark.parametrize("kind", KINDS)


def survey(kind: str) -> Deployment:
    return deploy(SCHEMA, WORKLOAD, KINDS[kind]())


@every_kind
def test_a_round_trip_keeps_the_mechanism_and_the_digest(kind: str, tmp_path: Path) -> None:
    made = survey(kind)
    made.verify()
    made.save(tmp_path / "a")
    read = load(tmp_path / "a")
    read.verify()
    assert read == made
    assert isinstance(read.mechanism, InvariantMechanism)
    assert type(read.mechanism) is type(KINDS[kind]())
    np.testing.assert_array_equal(read.mechanism.to_dense(), KINDS[kind]().to_dense())
    read.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@every_kind
def test_the_file_says_its_version_and_kind(kind: str, tmp_path: Path) -> None:
    survey(kind).save(tmp_path / "a")
    document = json.loads((tmp_path / "a").read_text())
    assert (document["version"], document["strategy"]["kind"]) == (2, kind)
    assert document["digest"] == json.loads(edited(tmp_path / "a", dict, reseal=True).read_text())["digest"]


def test_a_file_of_the_first_version_is_still_read() -> None:
    """Written before there were base patterns; matrices are written like that to this day."""
    old = load(Path(__file__).with_name("version1.lowkey"))
    assert old.digest == "8e678d76351de4eb12478154445c43ee9a3df503f608c2d29fbdc69c21297260"
    assert (old.outputs, old.epsilon, old.mechanism.name) == (8, 1.0, "hadamard")


@every_kind
def test_the_listed_mechanism_answers_the_same_from_the_same_counts(kind: str) -> None:
    patterns = survey(kind)
    listed = deploy(SCHEMA, WORKLOAD, DenseMechanism(patterns.mechanism.to_dense(), 1.0))
    x = np.random.default_rng(1).multinomial(100_000, np.full(12, 1 / 12))
    counts = lk.simulate(patterns, x, seed=1)
    own, other = lk.estimate(patterns, counts), lk.estimate(listed, lk.Counts(listed.digest, counts.values))
    np.testing.assert_allclose(own.answers, other.answers, rtol=1e-9)
    np.testing.assert_allclose(own.standard_errors, other.standard_errors, rtol=0.02)  # two estimates of the same
    np.testing.assert_allclose(own.cells, other.cells, atol=1e-6)
    assert [row[:2] for row in own.rows()] == [row[:2] for row in other.rows()]
    consistent = lk.estimate(listed, lk.Counts(listed.digest, counts.values), "wnnls")
    np.testing.assert_allclose(lk.estimate(patterns, counts, "wnnls").answers, consistent.answers, rtol=1e-4)


def test_what_a_mechanism_does_not_determine_is_refused_before_anyone_is_asked() -> None:
    narrow = JuntaMechanism((2, 3, 2), [Junta(np.array([True, False]), [(0,)], 1.0)], 1.0)
    with pytest.raises(QueryNotAnswerable, match="do not determine"):
        deploy(SCHEMA, WORKLOAD, narrow)


@pytest.mark.parametrize(
    ("kind", "edit", "message"),
    [
        ("group", in_strategy(kind="junta"), "'strategy.pools' of the deployment file is not in the file"),
        ("group", in_strategy(kind="surprise"), "'strategy' of the deployment file"),
        ("group", in_strategy(kind="dense"), "'strategy.outputs' of the deployment file is not in the file"),
        ("group", in_strategy(probabilities=[0.5, 0.5]), "digest of the deployment file"),
        ("group", in_strategy(data=data_of(5)), "shorter or longer"),
        ("group", in_strategy(data=data_of(50_000_000)), "shorter or longer"),
        ("group", in_strategy(data=data_of(6)), "not what its SHA-256"),
        ("junta", in_strategy(data="*"), "unreadable"),
        ("junta", in_strategy(sizes=[2, 3, 3]), "digest of the deployment file"),
        ("junta", lambda document: document.update(epsilon=2.0), "digest of the deployment file"),
    ],
)
def test_damage_and_alterations_are_noticed(
    kind: str, edit: Callable[[Document], object], message: str, tmp_path: Path
) -> None:
    survey(kind).save(tmp_path / "a")
    with pytest.raises(InvalidInput, match=message):
        load(edited(tmp_path / "a", edit))


@pytest.mark.parametrize(
    ("kind", "edit", "message"),
    [
        (
            "group",
            lambda document: document.update(version=1),
            "format version of the deployment file is 1; expected 2",
        ),
        ("group", in_strategy(probabilities=[0.5, 0.5]), "shorter or longer"),
        ("group", in_strategy(probabilities=[0.5, 0.4, 0.3]), "probabilities is"),
        ("group", in_strategy(sizes=[2, 2**40]), "at most 268,435,456"),
        ("group", in_strategy(sizes=[4, 4]), "strategy is over 16 cells; expected one over the schema's 12"),
        ("junta", in_strategy(sizes=[2, 3, 2, 2]), "strategy is over 24 cells"),
        ("junta", in_strategy(pools=[[0, 2], [0], [2], [9]]), "pool of a slot in the file is 3"),
        ("junta", in_strategy(pools=[[0, 2]]), "pool of a slot in the file is 1; expected .* one of 1 pools"),
        ("junta", in_strategy(pools=[[2, 0], [0], [2], [1]]), "digest of what was read"),
        ("junta", in_strategy(pools=[[0, 1], [0], [2], [1]]), "pool of slot 0 of junta 0 is with attribute 1"),
        ("junta", in_strategy(juntas=[{"slots": [0] * 70, "probability": 1.0}]), "'strategy.juntas.0.slots'"),
        ("junta", in_strategy(juntas=[{"slots": [3] * 40, "probability": 1.0}]), "at most 268,435,456"),
    ],
)
def test_a_resealed_file_with_wrong_content_is_refused(
    kind: str, edit: Callable[[Document], object], message: str, tmp_path: Path
) -> None:
    survey(kind).save(tmp_path / "a")
    with pytest.raises(InvalidInput, match=message):
        load(edited(tmp_path / "a", edit, reseal=True))


def test_stray_bits_behind_a_pattern_are_noticed(tmp_path: Path) -> None:
    """12 cells take 2 bytes: their last four bits say nothing, and could say anything."""
    survey("group").save(tmp_path / "a")
    strategy = json.loads((tmp_path / "a").read_text())["strategy"]
    raw = bytearray(zlib.decompress(base64.b64decode(strategy["data"])))
    raw[1] |= 1
    forged = in_strategy(sha256=hashlib.sha256(raw).hexdigest(), data=base64.b64encode(zlib.compress(raw)).decode())
    with pytest.raises(InvalidInput, match="digest of what was read"):
        load(edited(tmp_path / "a", forged, reseal=True))
