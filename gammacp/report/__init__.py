"""HTML report: one self-contained page, and the same parts for notebooks."""

from typing import TYPE_CHECKING

from gammacp.base.lazy import lazy_names

if TYPE_CHECKING:
    from gammacp.report.building import Report, report
else:
    __getattr__ = lazy_names(
        __name__, dict.fromkeys(("Report", "report"), "gammacp.report.building")
    )

__all__ = ["Report", "report"]
