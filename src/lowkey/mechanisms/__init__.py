"""Mechanisms: ways to report with ε-local differential privacy."""

from lowkey.mechanisms.base import Mechanism, Responses
from lowkey.mechanisms.catalogue import available, create, names
from lowkey.mechanisms.dense import DenseMechanism, is_ldp

__all__ = ["DenseMechanism", "Mechanism", "Responses", "available", "create", "is_ldp", "names"]
