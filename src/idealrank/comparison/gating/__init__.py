"""A gate for continuous integration: whether a changed system is as good as its baseline."""
