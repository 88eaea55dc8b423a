"""Reports of results: figures, and one self-contained HTML page."""

from idealrank._present.page import Figure, Section
from idealrank.evaluation.evaluate import over_cutoffs
from idealrank.report import figures
from idealrank.report.figures import learning_curve
from idealrank.report.html_page import html

__all__ = ["Figure", "Section", "figures", "html", "learning_curve", "over_cutoffs"]
