"""`explain`, `identify`, and the verdicts of experiments."""

from statements.world import Kind, World

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "effects of choices": Kind("trec_eval gives 0.40, ranx 0.42: ties +0.02.", certain="differences of computed means"),
    "published number explained": Kind("0.3013 is ap(rel=2) like trec_eval (rel: 1 -> 2); yours is 0.3773."),
    "published number possibly explained": Kind("0.30 could be ap(rel=2), but this may be chance."),
    "published number repeated": Kind(
        "0.3773 is ap like trec_eval: nothing differs.", certain="a computed mean, rounded"
    ),
    "published number not explained": Kind("None of 918 settings gives 0.3013.", certain="computed means, rounded"),
    "identified": Kind("f(labels, scores) is ndcg."),
    "agrees with a preset": Kind("It agrees with like='trec_eval' on everything that was tried."),
    "agrees with no preset": Kind("No preset matches."),
    "defect": Kind("Defect: the order of documents changes the value."),
    "claims of a paper": Kind("12 of 14 claims hold."),
}
WORLDS: list[World] = []
