"""Scripts that make the documentation."""
