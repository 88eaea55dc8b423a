"""Reports of results: figures, and one self-contained HTML page."""

from idealrank._base.sections import Figure, Section
from idealrank.evaluation.rankings import Rankings, ranked_lists
from idealrank.report import figures
from idealrank.report.curves import over_cutoffs
from idealrank.report.learning import learning_curve
from idealrank.report.page import html

__all__ = ["Figure", "Rankings", "Section", "figures", "html", "learning_curve", "over_cutoffs", "ranked_lists"]
