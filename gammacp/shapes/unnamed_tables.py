"""Tables for γ of anonymous readers: groups by size, and intervals over all namings."""

from gammacp.base.record_tables import Column, Table, count, number, text, word
from gammacp.shapes.unnamed import UnnamedGamma


def sizes_table(bounds: UnnamedGamma) -> Table:
    """Return a table of the number of groups by the number of readers who marked them.

    Parameters
    ----------
    bounds
        The groups.
    """
    rows = [
        {"marked_by": f"{size} of {bounds.readers}", "groups": groups}
        for size, groups in reversed(list(bounds.sizes.items()))
    ]
    rows.append({"marked_by": "any", "groups": sum(bounds.sizes.values())})
    return Table((Column("marked_by", "marked by", word), Column("groups", "groups", count)), rows)


def interval_table(bounds: UnnamedGamma) -> Table:
    """Return a table of the intervals of γ and both disorders over all namings.

    Parameters
    ----------
    bounds
        The intervals.
    """
    expected = bounds.expected or (None, None)
    named = {"γ": bounds.interval, "observed": bounds.observed, "expected": expected}
    rows = [{"of": name, "from": low, "to": high} for name, (low, high) in named.items()]
    columns = Column("of", "", text), Column("from", "from", number)
    return Table((*columns, Column("to", "to", number)), rows)
