"""Reports of results: figures, and one self-contained HTML page."""

from idealrank._present.page import Figure, Section
from idealrank.evaluation.report_details import over_cutoffs, ranked_lists
from idealrank.evaluation.top_documents import TopDocuments
from idealrank.report import figures
from idealrank.report.html_page import html
from idealrank.report.learning_curves import learning_curve

__all__ = ["Figure", "Section", "TopDocuments", "figures", "html", "learning_curve", "over_cutoffs", "ranked_lists"]
