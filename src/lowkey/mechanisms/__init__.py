"""Mechanisms: ways to report with ε-local differential privacy."""

from lowkey.mechanisms.base import Mechanism, Responses
from lowkey.mechanisms.catalogue import available, create, names
from lowkey.mechanisms.dense import DenseMechanism, is_ldp
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.junta import Junta, JuntaMechanism
from lowkey.mechanisms.sampled import SampledMechanism
from lowkey.mechanisms.two_level import TwoLevelMechanism

__all__ = [
    "DenseMechanism",
    "GroupMechanism",
    "Junta",
    "JuntaMechanism",
    "Mechanism",
    "Responses",
    "SampledMechanism",
    "TwoLevelMechanism",
    "available",
    "create",
    "is_ldp",
    "names",
]
