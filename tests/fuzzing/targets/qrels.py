"""`read_qrels` against the reference parser."""

import idealrank as ir
from fuzzing.trec import target

TARGET = target(ir.read_qrels, is_run=False)
