"""Evaluate, compare and explain rankings."""
