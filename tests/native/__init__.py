"""Tests of the native core, and how long Ctrl-C has to wait for it."""
