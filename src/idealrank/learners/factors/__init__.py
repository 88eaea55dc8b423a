"""Recommenders that learn a vector of factors for each user and each item."""
