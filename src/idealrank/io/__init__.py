"""Paths and frames to data, and back: one format a file."""
