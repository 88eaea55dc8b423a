"""Comparisons of systems over many data sets."""
