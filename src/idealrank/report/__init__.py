"""What was found, to look at and to mail around: figures, and one HTML page that needs nothing else."""

from idealrank.report import figures
from idealrank.report.curves import over_cutoffs
from idealrank.report.page import html

__all__ = ["figures", "html", "over_cutoffs"]
