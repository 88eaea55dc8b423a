"""The papers' experiments, reproduced, one file or folder each: their claims beside what is observed, and figures."""
