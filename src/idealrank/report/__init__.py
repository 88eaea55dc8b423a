"""What was found, to look at and to mail around: figures, and one HTML page that needs nothing else."""

from idealrank.report import figures
from idealrank.report.curves import over_cutoffs
from idealrank.report.learning import learning_curve
from idealrank.report.page import Part, html, html_of_tables

__all__ = ["Part", "figures", "html", "html_of_tables", "learning_curve", "over_cutoffs"]
