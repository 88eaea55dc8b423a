"""Threads, seeds, exact sums, lazily imported packages and optional dependencies."""
