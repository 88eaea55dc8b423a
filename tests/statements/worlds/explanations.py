"""`explain`, `identify`, and the verdicts of experiments."""

from statements.world import Kind, World

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "effects of choices": Kind("trec_eval gives 0.40, ranx 0.42: ties +0.02.", certain="differences of computed means"),
    "identified": Kind("f(labels, scores) is ndcg."),
    "agrees with a preset": Kind("It agrees with like='trec_eval' on everything that was tried."),
    "agrees with no preset": Kind("No preset matches."),
    "defect": Kind("Defect: the order of documents changes the value."),
    "claims of a paper": Kind("12 of 14 claims hold."),
}
WORLDS: list[World] = []
