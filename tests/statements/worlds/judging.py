"""`bounds`, `judge_next`, `compare_assisted` and their like: unjudged documents and machine judgments."""

from statements.world import Kind, World

__all__ = ["KINDS", "WORLDS"]

KINDS = {
    "range for any labels": Kind("ndcg of a is from 0.3 to 0.5 for any labels."),
    "order decided": Kind("Unjudged documents cannot reverse the order."),
    "unjudged documents could reverse": Kind("Unjudged documents alone could reverse the order."),
    "judge these first": Kind("Judging these documents narrows the bounds most."),
    "no judgment needed": Kind("No judgment is needed."),
    "significant difference with machine judgments": Kind("a differs significantly from b at level 0.05."),
    "interval with machine judgments": Kind("0.5000 (0.4500 to 0.5500)."),
    "worth of machine judgments": Kind("The interval is as narrow as that of about 80 queries."),
    "human judgments needed": Kind("A 95% interval with a width of 0.1 needs human judgments of 40 queries."),
    "expected value with uncertain labels": Kind("With a probability of 95%, labels put it between 0.4 and 0.5."),
    "agreement of labels": Kind("Human and machine labels are equal on 80%.", certain="counts of the given labels"),
}
WORLDS: list[World] = []
