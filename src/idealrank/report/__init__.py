"""Reports of results: figures, and one self-contained HTML page."""

from idealrank._present.page import Figure, Section
from idealrank.evaluation.top_documents import Rankings, ranked_lists
from idealrank.report import figures
from idealrank.report.cutoff_curves import over_cutoffs
from idealrank.report.learning_curves import learning_curve
from idealrank.report.page import html

__all__ = ["Figure", "Rankings", "Section", "figures", "html", "learning_curve", "over_cutoffs", "ranked_lists"]
