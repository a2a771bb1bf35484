"""A deployment and its file: what is bound by the digest, what a round trip keeps, and what is refused."""

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowkey import workloads
from lowkey.analysis.reconstruction import best_decoder
from lowkey.checks import Matrix
from lowkey.deployment import Deployment, deploy, load
from lowkey.deployment.document import digest_of, parse
from lowkey.errors import InvalidInput, NotAvailable, NotPrivate, QueryNotAnswerable
from lowkey.mechanisms import DenseMechanism, TwoLevelMechanism, create
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.two_level import high_level
from lowkey.schema import Categorical, Ordered, Schema
from lowkey.workloads import Workload

SCHEMA = Schema([Categorical("plan", ["free", "pro"]), Ordered("age", edges=[0, 18, 65, float("inf")])])
Document = dict[str, Any]


def survey(epsilon: float = 1.0, mechanism: str = "hadamard") -> Deployment:
    workload = workloads.stack([workloads.prefix(3).on(SCHEMA, "age"), workloads.histogram(6)], weights=[2, 1])
    return deploy(SCHEMA, workload, create(mechanism, 6, epsilon))


def edited(path: Path, edit: Callable[[Document], None], *, reseal: bool = False) -> Path:
    """The file after `edit`; with `reseal` its digest is made right again, as a forger would."""
    document: Document = json.loads(path.read_text())
    edit(document)
    if reseal:
        document["digest"] = resealed_digest(document)
    path.write_text(json.dumps(document))
    return path


def resealed_digest(document: Document) -> str:
    """The digest written out from its definition, independently of the code under test."""
    content = {key: value for key, value in document.items() if key != "digest"}
    content["strategy"] = {key: value for key, value in document["strategy"].items() if key != "data"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def packed(strategy: Matrix) -> Document:
    raw = strategy.astype("<f8").tobytes()
    data = base64.b64encode(zlib.compress(raw)).decode()
    return {
        "name": "forged",
        "outputs": len(strategy),
        "cells": strategy.shape[1],
        "encoding": "float64-le/zlib/base64",
        "sha256": hashlib.sha256(raw).hexdigest(),
        "data": data,
    }


# -- what a deployment is ---------------------------------------------------------------


def test_a_deployment_carries_epsilon_outputs_and_a_sha256_digest() -> None:
    deployment = survey(1.5, "randomized_response")
    assert deployment.epsilon == 1.5
    assert deployment.outputs == 6
    assert len(deployment.digest) == 64
    assert int(deployment.digest, 16) >= 0


def test_the_digest_changes_with_schema_workload_epsilon_and_strategy() -> None:
    other_schema = Schema([Categorical("plan", ["free", "team"]), SCHEMA["age"]])
    histogram = workloads.histogram(6)
    made = [
        deploy(SCHEMA, histogram, create("hadamard", 6, 1.0)),
        deploy(other_schema, histogram, create("hadamard", 6, 1.0)),
        deploy(SCHEMA, workloads.prefix(6), create("hadamard", 6, 1.0)),
        deploy(SCHEMA, histogram, create("hadamard", 6, 1.01)),
        deploy(SCHEMA, histogram, create("randomized_response", 6, 1.0)),
        deploy(SCHEMA, histogram, DenseMechanism(create("hadamard", 6, 1.0).to_dense(), 2.0, "hadamard")),
    ]
    assert len({deployment.digest for deployment in made}) == len(made)
    assert made[0] == deploy(SCHEMA, workloads.histogram(6), create("hadamard", 6, 1.0))
    assert made[0] != made[1]


def test_a_catalogue_strategy_is_listed_and_an_explicit_one_copied() -> None:
    mechanism = create("hadamard", 6, 1.0)
    np.testing.assert_array_equal(survey().mechanism.to_dense(), mechanism.to_dense())
    dense = DenseMechanism(mechanism.to_dense(), 1.0)
    deployed = deploy(SCHEMA, workloads.histogram(6), dense).mechanism
    np.testing.assert_array_equal(deployed.to_dense(), dense.to_dense())
    assert not np.shares_memory(deployed.to_dense(), dense.to_dense())


def test_a_mechanism_whose_epsilon_was_changed_afterwards_is_not_deployed() -> None:
    mechanism = create("randomized_response", 6, 4.0)
    mechanism.epsilon = 1.0
    with pytest.raises(NotPrivate, match="likelier"):
        deploy(SCHEMA, workloads.histogram(6), mechanism)


def test_a_mechanism_whose_strategy_was_changed_afterwards_is_not_deployed() -> None:
    mechanism = create("randomized_response", 6, 1.0)
    strategy = mechanism.to_dense()
    strategy.flags.writeable = True
    strategy[0] = 0.0
    strategy[0, 0] = 0.5
    with pytest.raises(InvalidInput, match="column"):
        deploy(SCHEMA, workloads.histogram(6), mechanism)


def test_verify_passes_what_deploy_made() -> None:
    survey().verify()


@pytest.mark.parametrize("name", ["matrix_mechanism_l1", "gaussian"])
def test_additive_noise_is_refused_with_advice(name: str) -> None:
    from lowkey.mechanisms import additive_noise

    mechanism = getattr(additive_noise, name)(6, 1.0)
    with pytest.raises(NotAvailable, match=rf"{name}, whose outputs cannot be listed.*Use optimize"):
        deploy(SCHEMA, workloads.histogram(6), mechanism)


def test_a_closed_form_mechanism_too_large_to_list_is_refused() -> None:
    schema = Schema([Categorical("cell", [str(i) for i in range(200)])])
    with pytest.raises(NotAvailable, match="rappor, whose outputs cannot be listed"):
        deploy(schema, workloads.histogram(200), create("rappor", 200, 1.0))


def test_a_workload_that_cannot_be_answered_is_refused_before_anyone_is_asked() -> None:
    coin = DenseMechanism([[0.7, 0.7, 0.3, 0.3, 0.3, 0.3], [0.3, 0.3, 0.7, 0.7, 0.7, 0.7]], 1.0)
    assert deploy(SCHEMA, workloads.from_matrix([[1, 1, 0, 0, 0, 0]]), coin).outputs == 2
    with pytest.raises(QueryNotAnswerable, match="query 0"):
        deploy(SCHEMA, workloads.histogram(6), coin)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SCHEMA, workloads.histogram(5), create("hadamard", 6, 1.0)), "workload is over 5 cells.*schema's 6"),
        ((SCHEMA, workloads.histogram(6), create("hadamard", 5, 1.0)), "mechanism is over 5 cells.*schema's 6"),
        ((None, workloads.histogram(6), create("hadamard", 6, 1.0)), "schema is None; expected a Schema"),
        ((SCHEMA, create("hadamard", 6, 1.0), workloads.histogram(6)), "expected a Workload"),
        ((SCHEMA, workloads.histogram(6), np.eye(6)), "expected a Mechanism"),
    ],
)
def test_parts_that_do_not_fit_are_refused(arguments: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        deploy(*arguments)


# -- the file ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "workload",
    [
        workloads.all_range(6),
        workloads.k_way_marginals([2, 3], 1),
        workloads.from_matrix([[1, 0.1, 0, 0, -2, 1e-17]], labels=["a “strange” query"]),
        workloads.stack([workloads.prefix(3).on(SCHEMA, "age"), workloads.histogram(6)], weights=[0.3, 7]),
        workloads.sql(SCHEMA, ["age >= 18 AND plan = 'pro'"]),
    ],
    ids=lambda workload: workload.name,
)
def test_round_trip_keeps_everything(tmp_path: Path, workload: Workload) -> None:
    made = deploy(SCHEMA, workload, create("hierarchical", 6, 0.7))
    made.save(tmp_path / "a.lowkey")
    read = load(str(tmp_path / "a.lowkey"))
    assert read == made
    assert read.digest == made.digest
    assert read.schema == made.schema
    assert read.epsilon == made.epsilon
    assert read.mechanism.name == "hierarchical"
    np.testing.assert_array_equal(read.mechanism.to_dense(), made.mechanism.to_dense())
    np.testing.assert_array_equal(read.workload.to_dense(), made.workload.to_dense())
    assert list(read.workload.labels) == list(made.workload.labels)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.01, 8))
def test_round_trip_keeps_any_strategy_to_the_last_bit(seed: int, epsilon: float) -> None:
    rng = np.random.default_rng(seed)
    share = np.tanh(epsilon / 2) * 0.99
    strategy = (
        share * create("randomized_response", 6, epsilon).to_dense() + (1 - share) * rng.dirichlet(np.ones(6))[:, None]
    )
    made = deploy(SCHEMA, workloads.histogram(6), DenseMechanism(strategy, epsilon))
    parsed = parse(json.loads(json.dumps({**made._document.model_dump(by_alias=True), "digest": made.digest})))
    assert digest_of(parsed) == made.digest


def test_the_digest_is_that_of_the_documented_canonical_form(tmp_path: Path) -> None:
    deployment = survey()
    deployment.save(tmp_path / "a")
    document = json.loads((tmp_path / "a").read_text())
    assert document["format"] == "lowkey-deployment"
    assert document["digest"] == deployment.digest == resealed_digest(document)


def test_saving_replaces_the_old_file_and_leaves_no_other(tmp_path: Path) -> None:
    target = tmp_path / "survey.lowkey"
    target.write_text("old")
    survey().save(target)
    assert [path.name for path in tmp_path.iterdir()] == ["survey.lowkey"]
    assert load(target) == survey()


def test_a_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "survey.lowkey"
    survey().save(target)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InvalidInput, match=r"No space left on device.*writable"):
        survey(2.0).save(target)
    assert load(target) == survey()
    assert [path.name for path in tmp_path.iterdir()] == ["survey.lowkey"]


def test_saving_where_there_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"file to write is .*nowhere.*No such file"):
        survey().save(tmp_path / "nowhere" / "a")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"absent.*No such file.*can be read"):
        load(tmp_path / "absent")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"format": NaN}'])
def test_what_is_not_json_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"not JSON.*cut off or edited"):
        load(tmp_path / "a")


def change(**values: object) -> Callable[[Document], None]:
    return lambda document: document.update(values)


def change_strategy(**values: object) -> Callable[[Document], None]:
    return lambda document: document["strategy"].update(values)


def remove(key: str) -> Callable[[Document], None]:
    return lambda document: document.pop(key)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change(format="lowkey-counts"), "format of the deployment file is 'lowkey-counts'"),
        (change(version=3), "format version of the deployment file is 3; expected 1 or 2.*newer lowkey"),
        (change(version=2), "digest of the deployment file.*damaged or altered"),
        (change(version=True), "format version of the deployment file is True"),
        (remove("epsilon"), "'epsilon' of the deployment file is not in the file"),
        (remove("strategy"), "'strategy' of the deployment file is not in the file"),
        (change(epsilon="1"), "'epsilon' of the deployment file is '1'.*damaged or altered"),
        (change(epsilon=2.0), "digest of the deployment file.*damaged or altered"),
        (change(schema={"attributes": []}), "digest of the deployment file.*damaged or altered"),
        (change(note="hello"), "'note' of the deployment file.*not permitted"),
        (change_strategy(name="other"), "digest of the deployment file.*damaged or altered"),
        (change_strategy(encoding="float32"), "'strategy.encoding'"),
        (change_strategy(data="AAAA"), "strategy in the file is unreadable.*damaged or altered"),
        (change_strategy(data="*"), "strategy in the file is unreadable.*damaged or altered"),
        (change_strategy(data=base64.b64encode(zlib.compress(b"abc")).decode()), "shorter or longer"),
        (change_strategy(data=base64.b64encode(zlib.compress(bytes(8 * 8 * 6))).decode()), "not what its SHA-256"),
    ],
)
def test_damage_and_alterations_are_noticed(tmp_path: Path, edit: Callable[[Document], None], message: str) -> None:
    survey().save(tmp_path / "a")
    with pytest.raises(InvalidInput, match=message):
        load(edited(tmp_path / "a", edit))


def test_a_small_file_cannot_unpack_to_more_than_it_says(tmp_path: Path) -> None:
    bomb = base64.b64encode(zlib.compress(bytes(50_000_000))).decode()
    survey().save(tmp_path / "a")
    with pytest.raises(InvalidInput, match="shorter or longer"):
        load(edited(tmp_path / "a", change_strategy(data=bomb)))
    with pytest.raises(InvalidInput, match="at most"):
        load(edited(tmp_path / "a", change_strategy(outputs=2**28, data=bomb), reseal=True))


def test_a_resealed_file_that_breaks_its_epsilon_is_refused(tmp_path: Path) -> None:
    survey().save(tmp_path / "a")
    with pytest.raises(NotPrivate, match=r"likelier.*at most e\^0.5"):
        load(edited(tmp_path / "a", change(epsilon=0.5), reseal=True))
    with pytest.raises(NotPrivate, match="likelier"):
        load(edited(tmp_path / "a", change(epsilon=1.0, strategy=packed(np.eye(6))), reseal=True))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change(epsilon=-1.0), "epsilon is -1"),
        (change(strategy=packed(np.full((2, 6), 0.4))), "columns that sum to 1"),
        (change(strategy=packed(np.full((2, 6), np.nan))), "non-finite"),
        (change(strategy=packed(np.full((2, 5), 0.5))), "strategy is over 5 cells.*schema's 6"),
        (change(workload={"kind": "histogram", "n": 5}), "workload is over 5 cells.*schema's 6"),
        (change(workload={"kind": "surprise"}), "surprise"),
        (change(schema={"attributes": []}), "schema is an empty list"),
    ],
)
def test_a_resealed_file_with_wrong_content_is_refused(
    tmp_path: Path, edit: Callable[[Document], None], message: str
) -> None:
    survey().save(tmp_path / "a")
    with pytest.raises(InvalidInput, match=message):
        load(edited(tmp_path / "a", edit, reseal=True))


def test_the_file_holds_its_schema_once_and_that_of_queries_about_a_part_of_it(tmp_path: Path) -> None:
    part = Schema([SCHEMA["age"]])
    own = workloads.sql(SCHEMA, ["plan = 'pro'"])
    deployment = deploy(
        SCHEMA, workloads.stack([own, workloads.sql(part, ["age >= 65"]).on(SCHEMA, "age")]), create("hadamard", 6, 1.0)
    )
    deployment.save(tmp_path / "survey.lowkey")
    parts = json.loads((tmp_path / "survey.lowkey").read_text())["workload"]["parts"]
    assert parts[0] == {"kind": "sql", "queries": ["plan = 'pro'"]}
    assert set(parts[1]) == {"kind", "attributes", "workload"}
    assert parts[1]["workload"] == {"kind": "sql", "queries": ["age >= 65"], "schema": part.to_document()}
    again = load(tmp_path / "survey.lowkey")
    assert again == deployment
    np.testing.assert_array_equal(again.workload.to_dense(), deployment.workload.to_dense())


def test_queries_written_for_another_schema_of_the_same_size_are_refused() -> None:
    other = Schema([Categorical("plan", ["pro", "free"]), SCHEMA["age"]])
    with pytest.raises(InvalidInput, match="'sql' was written for"):
        deploy(SCHEMA, workloads.sql(other, ["plan = 'pro'"]), create("hadamard", 6, 1.0))


def test_a_design_prior_travels_with_the_file_and_estimates_use_it(tmp_path: Path) -> None:
    """The decoder for the mechanism's own prior is another than the even one, before and after."""
    prior = np.array([30, 20, 20, 10, 10, 10]) / 100
    half = np.array([[True, True, False, True, False, False], *np.eye(6, dtype=bool)])
    patterns, weights = np.vstack([half, ~half]), np.full(14, 1 / (7 * (1 + high_level(1.0))))
    mechanism = TwoLevelMechanism(patterns, weights, 1.0, design_prior=prior)
    asked = deploy(SCHEMA, workloads.histogram(6), mechanism)
    asked.save(tmp_path / "survey.json")
    answered = load(tmp_path / "survey.json")
    assert answered == asked
    assert answered.mechanism.design_prior is not None
    np.testing.assert_array_equal(answered.mechanism.design_prior, prior)
    responses = Responses(np.arange(14.0), 91)
    tuned, even = (best_decoder(workloads.histogram(6), mechanism, weights) for weights in (prior, np.ones(6)))
    estimate = answered.decoder.estimate_cells(responses)
    np.testing.assert_allclose(estimate, tuned.estimate_cells(responses), rtol=1e-12)
    assert np.abs(estimate - even.estimate_cells(responses)).max() > 0.1


def test_another_design_prior_is_another_survey(tmp_path: Path) -> None:
    """The digest covers it: the answers depend on it."""
    strategy = create("hadamard", 6, 1.0).to_dense()
    priors = [None, np.array([30, 20, 20, 10, 10, 10]) / 100]
    one, other = (
        deploy(SCHEMA, workloads.histogram(6), DenseMechanism(strategy, 1.0, "hadamard", prior)) for prior in priors
    )
    assert one.digest != other.digest
    other.save(tmp_path / "survey.json")
    path = edited(tmp_path / "survey.json", lambda document: document["strategy"].pop("design_prior"))
    with pytest.raises(InvalidInput, match="the digest of the deployment file"):
        load(path)
