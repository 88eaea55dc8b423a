"""Which measures distinguish two rankers on real lists."""
