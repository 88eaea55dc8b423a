"""Differential fuzzing: drawn inputs, checked against slow and obvious references.

A target is one file in ``targets/`` and one line in ``TARGETS``. It draws cases from a seed and checks each of them, so
that a failure is reproduced by the name of the target and the seed. ``python tests/fuzzing --help`` runs targets for as
long as it is told to; a failure is minimized and saved in ``cases/``, which the tests replay.
"""

#: What is fuzzed: the module of each target, and how many seeds the tests take.
TARGETS = {
    "letor": 200,
    "qrels": 500,
    "run": 500,
    "scores": 600,
    "csv": 120,
    "measures": 60,
    "losses": 80,
    "round_trips": 120,
    "threads": 60,
    "models": 60,
    "parquet": 400,
    "shapes": 24,
    "json": 100,
    "recognition": 4,
}
