"""Choosing settings: tuning, cross validation on folds."""
