"""Which measures tell two rankers apart on real lists."""
