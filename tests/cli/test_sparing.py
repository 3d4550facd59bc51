"""Output files that the next run would read are not written."""

from pathlib import Path

import pytest

from gammacp.cli.sparing import spare
from gammacp.errors import UsageError

TABLE = "annotator,category,start,end\nAnn,x,0,2\nBob,x,0,2\n"


def test_file_endings_of_a_named_format_are_not_written(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text(TABLE)
    with pytest.raises(UsageError, match="would be read as annotations from then on"):
        spare([tmp_path / "new.dat"], [tmp_path], format="csv")
    spare([tmp_path / "new.html"], [tmp_path], format="csv")
    spare([tmp_path / "new.dat"], [tmp_path])
