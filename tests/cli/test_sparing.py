"""Files that the next run would read are not written."""

from pathlib import Path

import pytest

from gammacp.cli.sparing import spare
from gammacp.errors import UsageError

TABLE = "annotator,category,start,end\nAnn,x,0,2\nBob,x,0,2\n"


def test_endings_that_a_named_format_reads_are_spared(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text(TABLE)
    with pytest.raises(UsageError, match="would be read as annotations from then on"):
        spare([tmp_path / "new.dat"], [tmp_path], format="csv")
    spare([tmp_path / "new.html"], [tmp_path], format="csv")
    spare([tmp_path / "new.dat"], [tmp_path])
