"""Design of a mechanism for a workload."""
