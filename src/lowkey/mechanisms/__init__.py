"""Mechanisms: ways to report with ε-local differential privacy."""
