"""Model files, and exports to other tools."""
