"""Building blocks that know nothing of rankings: options, names, threads, exact sums, tables."""
