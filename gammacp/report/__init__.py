"""HTML report: one self-contained page, and the same parts for notebooks.

The package is called as its function: `gammacp.report(corpus)` is `gammacp.report.report(corpus)`.
"""

from typing import TYPE_CHECKING

from gammacp.base.lazy import lazy_names, make_callable

if TYPE_CHECKING:
    from gammacp.report.building import Report, report
else:
    __getattr__ = lazy_names(
        __name__, dict.fromkeys(("Report", "report"), "gammacp.report.building")
    )

make_callable(__name__, "report")

__all__ = ["Report", "report"]
