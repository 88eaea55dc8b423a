"""Compare systems, explain different numbers, and rank systems over many data sets."""
