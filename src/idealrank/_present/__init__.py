"""Results and pages: the values that every operation returns, and how they are rendered."""
