"""Tables for γ of anonymous readers: groups by size, and intervals over all namings."""

from gammacp.base.record_tables import Column, Table, count, number, text, word
from gammacp.shapes.unnamed import UnnamedGamma


def sizes_table(found: UnnamedGamma) -> Table:
    """Return a table of the number of groups by the number of readers who marked them.

    Parameters
    ----------
    found
        The groups.
    """
    rows = [
        {"marked_by": f"{size} of {found.readers}", "groups": groups}
        for size, groups in reversed(list(found.sizes.items()))
    ]
    rows.append({"marked_by": "any", "groups": sum(found.sizes.values())})
    return Table((Column("marked_by", "marked by", word), Column("groups", "groups", count)), rows)


def interval_table(found: UnnamedGamma) -> Table:
    """Return a table of the intervals of γ and both disorders over all namings.

    Parameters
    ----------
    found
        The intervals.
    """
    expected = found.expected or (None, None)
    named = {"γ": found.interval, "observed": found.observed, "expected": expected}
    rows = [{"of": name, "from": low, "to": high} for name, (low, high) in named.items()]
    columns = Column("of", "", text), Column("from", "from", number)
    return Table((*columns, Column("to", "to", number)), rows)
