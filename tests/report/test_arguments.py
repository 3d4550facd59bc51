"""Error of the report on an unknown keyword."""

from gammacp.report.building import report
from tests.arguments import C, check_unknown_keywords


def test_an_unknown_keyword_never_makes_a_page() -> None:
    check_unknown_keywords((report, (C,)))
