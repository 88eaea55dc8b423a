"""`read_run` against the reference parser."""

import idealrank as ir
from fuzzing.trec import target

TARGET = target(ir.read_run, is_run=True)
