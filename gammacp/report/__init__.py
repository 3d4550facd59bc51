"""HTML report: one self-contained page, and the same parts for notebooks."""

from gammacp.report.building import Report, report
from gammacp.report.page import Contents, page

__all__ = ["Contents", "Report", "page", "report"]
