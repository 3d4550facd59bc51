"""Teams that annotators work in, read from a table."""

from collections.abc import Mapping
from pathlib import Path

from gammacp.base.csv_files import table_of
from gammacp.base.files import text_of
from gammacp.base.text import first_names
from gammacp.continuum import Continuum
from gammacp.continuum.needs import check_one_team
from gammacp.errors import DataError
from gammacp.formats.boundary import place_errors

COLUMNS = ("annotator", "team")


def read_teams(path: Path) -> dict[str, str]:
    """Return the team of each annotator.

    Parameters
    ----------
    path
        A table (.csv, .tsv) with the columns annotator and team.

    Raises
    ------
    DataError
        The table cannot be read, names nobody, or an annotator has no team or two.
    """
    team_by_annotator: dict[str, str] = {}
    with place_errors(path):
        for row, line in table_of(text_of(path), COLUMNS, delimiter=",;\t"):
            annotator, team = (row[column].strip() for column in COLUMNS)
            if not annotator:
                raise DataError("the annotator has no name", line=line)
            if not team or team_by_annotator.setdefault(annotator, team) != team:
                if team:
                    wrong = "two teams"
                else:
                    wrong = "no team"
                raise DataError(f"annotator {annotator!r} has {wrong}", line=line)
        if not team_by_annotator:
            raise DataError("names no annotator", hint="Give each annotator a row (annotator,team)")
    return team_by_annotator


def check_members(
    teams: Mapping[str, str],
    continua: Mapping[str, Continuum],
    path: Path,
    apart: str | None = None,
) -> list[str]:
    """Check that each document has annotators of one team; return who is in none of them.

    Parameters
    ----------
    teams
        The team of each annotator.
    continua
        Continua by name.
    path
        The file that names the teams.
    apart
        Annotator who may be without a team.

    Raises
    ------
    DataError
        An annotator has no team, or a document has annotators of several.
    """
    people = {a for c in continua.values() for a in c.annotators if a != apart}
    if missing := sorted(people - teams.keys()):
        raise DataError(
            f"no row for {first_names(missing, 3)}",
            file=path,
            hint="Give each annotator a row (annotator,team); who works alone is a team of one",
        )
    for document, continuum in continua.items():
        check_one_team(document, (a for a in continuum.annotators if a != apart), teams)
    return sorted(teams.keys() - people - {apart})
