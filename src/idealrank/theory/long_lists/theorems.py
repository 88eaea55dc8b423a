"""What the theorems about NDCG on long lists say, in a sentence each (Wang et al. 2013, as corrected)."""

from __future__ import annotations

__all__ = ["PAPER", "STATEMENTS", "theorem_text"]

PAPER = "Wang et al. 2013"

STATEMENTS = {
    "Definition 1": "NDCG is the DCG of a ranking divided by the highest DCG that its documents can have.",
    "Theorem 4": "With the discount 1/log(1 + r) and no cutoff, the NDCG of every ranker converges to 1.",
    "Theorem 6": (
        "With the discount 1/log(1 + r) and no cutoff, any two rankers with different, Hoelder continuous relevance "
        "curves are distinguished ever more surely as lists grow: the gap shrinks like a power of 1/log(n), the noise "
        "much faster."
    ),
    "Theorem 7": (
        "With the discount r^-b, 0 < b < 1, NDCG converges to a weighted mean of the relevance curve, relative to that "
        "of the ideal ranking."
    ),
    "Theorem 8": (
        "With the discount r^-b, 0 < b < 1, rankers with different limits are distinguished ever more surely as "
        "lists grow. With r^-b itself, equal limits and random labels at the top, they are not."
    ),
    "Theorem 9": (
        "With the discount 1/r, NDCG converges to the expected gain at the very top of the list, relative to the "
        "highest gain; rankers with different tops are distinguished ever more surely, but slowly. With "
        "1/r itself, equal tops and random labels there, they are not."
    ),
    "Theorem 10": (
        "If the sum of the discounts is bounded, or a fixed number of ranks counts, NDCG does not converge: the labels "
        "of a few documents decide, however long the list is."
    ),
    "Theorem 11": (
        "If the cutoff grows, but more slowly than the list, NDCG converges to the expected gain at the very top of "
        "the list, relative to the highest gain."
    ),
    "Theorems 12 and 13": (
        "If the cutoff is a fraction of the list, NDCG converges to a weighted mean of the relevance curve above the "
        "cutoff, relative to that of the ideal ranking; differences below the cutoff are not seen."
    ),
    "Theorem 14": (
        "With the discount r^-b, 0 < b < 1, and gains of several values, NDCG converges to a weighted mean of the "
        "expected gains, relative to that of the ideal ranking, in which the highest gains come first."
    ),
    "Theorem 15": (
        "If the cutoff grows, but more slowly than the list, and gains have several values, NDCG converges to the "
        "expected gain at the very top of the list, relative to the highest gain."
    ),
    "Theorem 16": (
        "With the discount 1/log(1 + r), a cutoff at a fraction of the list and gains of several values, NDCG "
        "converges to the mean gain above the cutoff, relative to that of the ideal ranking."
    ),
    "Theorem 17": (
        "With the discount r^-b, 0 < b < 1, a cutoff at a fraction of the list and gains of several values, NDCG "
        "converges to a weighted mean of the expected gains above the cutoff, relative to that of the ideal ranking."
    ),
    "the law of large numbers": (
        "With the discount n - r, NDCG is a ratio of means over all documents, and converges to the ratio of their "
        "expectations."
    ),
}


def theorem_text(theorem: str) -> str:
    """Return the statement of a theorem with its source; the name may be followed by a comma or a semicolon and more.

    >>> theorem_text("Theorem 8, condition 1")[:60]
    'Wang et al. 2013, Theorem 8, condition 1: With the discount '
    """
    name = theorem.partition(";")[0]
    name = "Theorems 12 and 13" if name in ("Theorem 12", "Theorem 13") else name
    known = next((key for key in (name, name.partition(",")[0]) if key in STATEMENTS), None)
    if known is None:
        return ""
    source = f"{PAPER}, {name}" if known != "the law of large numbers" else "The law of large numbers"
    return f"{source}: {STATEMENTS[known]}"
