"""What the tests of boosters share: every loss by a name, and a small set of queries to learn from."""

from every_loss import CLASSES, FORMS, INCOMPLETE

from idealrank import datasets, losses

__all__ = ["LOSSES", "N_DOCS", "small_parts"]

#: Each loss once.
LOSSES = [FORMS[name][0] if name in INCOMPLETE else getattr(losses, name).label for name in CLASSES]
#: Documents a query.
N_DOCS = 60


def small_parts() -> datasets.TrainTestData:
    """Twelve queries to learn from, and twelve others."""
    return datasets.web_search(n_queries=12, n_docs=N_DOCS, n_features=8)
