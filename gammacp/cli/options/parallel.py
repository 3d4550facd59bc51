"""`--jobs`: worker processes, the same option for every command that can use several."""

from __future__ import annotations

from typing import Annotated

import typer

Jobs = Annotated[
    int | None,
    typer.Option(help="Worker processes.  [default: one per available core where it pays]", min=1),
]
