"""Results to look at and to mail around: figures, and one HTML page that needs nothing else."""

from idealrank._base.sections import Figure, Section
from idealrank.report import figures
from idealrank.report.curves import over_cutoffs
from idealrank.report.learning import learning_curve
from idealrank.report.page import html, html_of_sections

__all__ = ["Figure", "Section", "figures", "html", "html_of_sections", "learning_curve", "over_cutoffs"]
