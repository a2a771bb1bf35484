"""Deployment: the contract between those who ask and those who answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lowkey.analysis.decoder import Decoder
from lowkey.analysis.invariant_decoder import InvariantDecoder
from lowkey.analysis.reconstruction import best_decoder
from lowkey.analysis.sampled_decoder import SampledDecoder
from lowkey.checks import check_epsilon
from lowkey.deployment import document as files
from lowkey.deployment.packing import DAMAGED
from lowkey.deployment.strategies import strategy_document
from lowkey.errors import InvalidInput, NotAvailable, NotPrivate, TooLarge, format_size
from lowkey.files import FilePath, read_json, write_json
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.generated import GeneratedMechanism
from lowkey.schema import Schema
from lowkey.workloads.base import Workload
from lowkey.workloads.document import within, workload_from_document
from lowkey.workloads.placement import refuse_other_schema


@dataclass(frozen=True, eq=False)
class Deployment:
    """A survey as it is run: the schema, the queries, and the strategy that every person reports with.

    Two deployments are equal when their digests are: the digest covers all that a person's report and the
    analyst's answers depend on. Make one with `deploy`, read one with `load`.
    """

    schema: Schema
    workload: Workload
    mechanism: Mechanism

    @property
    def epsilon(self) -> float:
        """The privacy of one report."""
        return self.mechanism.epsilon

    @property
    def outputs(self) -> int:
        """How many different reports there are: 0 … outputs − 1; of base patterns up to 2^62."""
        return self.mechanism.shape[0]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the deployment's canonical form: what reports and counts are bound to."""
        return files.digest_of(self._document)

    @cached_property
    def decoder(self) -> Decoder:
        """The best unbiased decoder of the workload, for the weights of the types it was designed for."""
        return best_decoder(self.workload, self.mechanism)

    def verify(self) -> None:
        """Check the strategy against ε once more; NotPrivate or InvalidInput says what is wrong."""
        mechanism = self._document.strategy.build(self.epsilon)
        if not mechanism.is_ldp(self.epsilon):  # a matrix is refused as it is built
            raise NotPrivate("the strategy", f"not {self.epsilon:g}-LDP", "one that keeps the ε it claims")

    def save(self, path: FilePath) -> None:
        """Write the deployment to one file, atomically."""
        content = self._document.model_copy(update={"digest": self.digest})
        write_json(path, files.as_values(content))

    @cached_property
    def _document(self) -> files.DeploymentDocument:
        strategy = strategy_document(self.mechanism)
        return files.DeploymentDocument.model_validate(
            {
                "version": files.version_for(strategy),
                "epsilon": self.epsilon,
                "schema": self.schema.to_document(),
                "workload": within(self.workload.document(), self.schema),
                "strategy": strategy,
            }
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deployment) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        queries, cells = self.workload.shape
        size = f"{queries:,} queries, {format_size(cells)} cells, {self.outputs:,} outputs"
        return f"<Deployment {self.digest[:12]}: {size}, ε = {self.epsilon:g}>"


def deploy(schema: Schema, workload: Workload, mechanism: Mechanism) -> Deployment:
    """The survey over `schema` that answers `workload` from reports made with `mechanism`.

    The mechanism's strategy is listed and checked against its ε; one that is made of base patterns (`GroupMechanism`,
    `JuntaMechanism`, `SampledMechanism`) stays what it is, for its outputs may be billions. A workload that it cannot
    answer is refused now, before anyone is asked.

    >>> from lowkey.mechanisms import create
    >>> from lowkey.schema import Categorical
    >>> from lowkey.workloads import histogram
    >>> plan = Schema([Categorical("plan", ["free", "pro", "team"])])
    >>> deploy(plan, histogram(3), create("randomized_response", 3, 1.0)).outputs
    3
    """
    _check_types(schema, workload, mechanism)
    _refuse_other_domain("the workload", workload.shape[1], schema)
    refuse_other_schema(workload, schema)
    _refuse_other_domain("the mechanism", mechanism.domain_size, schema)
    deployment = Deployment(schema, workload, _deployable(mechanism))
    decoder = deployment.decoder  # a strategy's raises QueryNotAnswerable now,
    if isinstance(decoder, InvariantDecoder | SampledDecoder):  # these when they are used
        decoder.variance(workload)
    return deployment


def load(path: FilePath) -> Deployment:
    """The deployment that `save` wrote.

    Everything is checked again: the structure, the digest (a damaged or altered file), that the strategy is one,
    and that it keeps the ε that the file claims.
    """
    content = files.parse(read_json(path, files.WHAT))
    schema = Schema.from_document(content.attributes)
    workload = workload_from_document(content.workload, schema)
    mechanism = content.strategy.build(check_epsilon(content.epsilon))
    _refuse_other_domain("the workload", workload.shape[1], schema)
    _refuse_other_domain("the strategy", mechanism.domain_size, schema)
    deployment = Deployment(schema, workload, mechanism)
    if deployment.digest != content.digest:
        expected = f"{content.digest}, as the file says"
        raise InvalidInput("the digest of what was read", deployment.digest, expected, DAMAGED)
    return deployment


def _check_types(schema: object, workload: object, mechanism: object) -> None:
    for what, value, kind in (
        ("the schema", schema, Schema),
        ("the workload", workload, Workload),
        ("the mechanism", mechanism, Mechanism),
    ):
        if not isinstance(value, kind):
            raise InvalidInput(what, value, f"a {kind.__name__}", "deploy takes schema, workload and mechanism.")


def _refuse_other_domain(what: str, cells: int, schema: Schema) -> None:
    if cells != schema.size:
        raise InvalidInput(
            what,
            f"over {format_size(cells)} cells",
            f"one over the schema's {format_size(schema.size)}",
            "Create both for schema.size cells, or place a workload with W.on(schema, attribute).",
        )


def _deployable(mechanism: Mechanism) -> Mechanism:
    """What is sent to every person's device: base patterns, or a strategy matrix; checked here, whatever it was."""
    if isinstance(mechanism, GeneratedMechanism):
        return strategy_document(mechanism).build(mechanism.epsilon)
    try:
        strategy = mechanism.to_dense()
    except (NotAvailable, TooLarge) as error:
        raise NotAvailable(
            "a deployment",
            f"asked for {mechanism.name}, whose outputs cannot be listed",
            "a mechanism with a strategy matrix",
            "Use optimize(workload, epsilon, max_outputs=…).mechanism, or for example hadamard or subset_selection of "
            "small size.",
        ) from error
    return DenseMechanism(strategy, mechanism.epsilon, mechanism.name, mechanism.design_prior)
