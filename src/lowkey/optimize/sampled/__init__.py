"""Strategies for one ordered attribute and others that are drawn at random."""
