"""Strategies that do not change under shifts of the domain: for marginals, parities and histograms of any size."""
