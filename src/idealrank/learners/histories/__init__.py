"""Recommenders that know a user by the items of the user's history, so that new users need no training."""
