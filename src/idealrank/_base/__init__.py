"""Building blocks that do not depend on rankings: options, names, threads, exact sums and tables."""
