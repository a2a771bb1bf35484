"""Workloads: the queries that an analyst cares about."""
