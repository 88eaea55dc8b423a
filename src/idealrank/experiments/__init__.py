"""The papers' experiments, one a file: each gives its claims, beside what is seen here, and its figures."""
