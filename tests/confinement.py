"""Secret files beside a folder, and a check that nothing but the folder is read."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gammacp.base.toml_files import toml_value

ROWS = "annotator,category,start,end\n{0},x,0,10\n{0},y,20,30\nB,x,0,11\nB,y,21,30\n"
MATRIX = ",x,y\nx,0,1\ny,1,0\n"
EVIL = """
from pathlib import Path
Path(__file__).with_name("canary").touch()
class X:
    def pairwise(self, u, v): raise NotImplementedError
    def bind(self, c): raise NotImplementedError
"""
CODE = [Path(p).resolve() for p in (sys.prefix, sys.base_prefix, np.__file__.split("numpy")[0])]
CODE += [Path(__file__).parents[1], *([Path(sys.pycache_prefix)] if sys.pycache_prefix else [])]
_seen: list[str] | None = None


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _seen is not None and event in (
        "open", "os.listdir", "os.scandir", "sqlite3.connect", "exec",
    ):  # fmt: skip
        first = arguments[0] if arguments else None
        first = getattr(first, "co_filename", first)
        if isinstance(first, str | bytes | os.PathLike):
            _seen.append(os.fsdecode(first))


sys.addaudithook(_hook)


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Fail if anything except the folder and our own code is opened, listed or run."""
    global _seen
    _seen = []
    try:
        yield
        seen = list(_seen)
    finally:
        _seen = None
    allowed = [folder.resolve(), *CODE]
    places = {name: Path(os.path.realpath(name)) for name in seen if not name.startswith("<")}
    assert [n for n, p in places.items() if not any(p.is_relative_to(a) for a in allowed)] == []


def make_folders(root: Path) -> None:
    """Make a folder with secrets beside it, and links of every kind that lead there."""
    secret, camp = root / "secret", root / "camp"
    for folder, who in ((secret, "SECRET"), (camp, "Ann"), (camp / "sub", "Ann")):
        folder.mkdir()
        (folder / "s.csv").write_text(ROWS.format(who))
        (folder / "s.wav").write_bytes(b"RIFF")
        (folder / "m.csv").write_text(MATRIX)
        (folder / "d.toml").write_text('[category]\ntype = "matrix"\nfile = "m.csv"\n')
        (folder / "b.txt").write_text(f"{who} sat")
        (folder / "b.ann").write_text("T1\tx 0 3\tAnn\n")
        (folder / "evil.py").write_text(EVIL)
        (folder / ".hidden").write_text("x")
    for name in ("m.csv", "d.toml"):
        (camp / f"out-{name}").write_text(
            f'[category]\ntype = "matrix"\nfile = "../secret/{name}"\n'
        )
    (camp / "out.toml").write_text('[category]\ntype = "tree"\nfile = "../secret/m.csv"\n')
    for name in ("l.csv", "l.toml", "l.wav", "sub/b2.txt"):
        (camp / name).symlink_to(secret / f"s{Path(name).suffix}")
    (camp / "dir").symlink_to(secret)
    (camp / "sub" / "up").symlink_to(camp)
    (camp / "loop").symlink_to(camp / "loop")


PARTS = st.sampled_from(
    ["..", ".", "secret", "camp", "s.csv", "l.csv", "b.ann", "dir", "sub", "up", "loop", "*", "**",
     "*.csv", "?.csv", "[a-z]*", "~", "", "d*", "\0", "x" * 300, "s.csv\n", "*/..", "dir/**"]
)  # fmt: skip


@st.composite
def entries(draw: st.DrawFn) -> str:
    before = draw(
        st.sampled_from(["", "", "", "/etc/", "{root}/", "{root}/camp/", "{root}/camp/../"])
    )
    return before + "/".join(draw(st.lists(PARTS, min_size=1, max_size=4)))


NAMES = st.one_of(
    entries(),
    st.sampled_from(["d.toml", "l.toml", "out.toml", "out-m.csv", "evil:X", "evil.py:X", "combined",
                     "../secret/d.toml", "dir/d.toml", "{root}/secret/d.toml"]),
)  # fmt: skip


def write_campaign(root: Path, paths: list[str], name: str, rounds: list[str]) -> None:
    """Write a campaign.toml with the given entries, dissimilarity and rounds."""
    entries_by_key = [
        [entry.replace("{root}", str(root)) for entry in entries_of_key]
        for entries_of_key in (paths, rounds, [name])
    ]
    (root / "camp" / "campaign.toml").write_text(
        f"paths = {toml_value(entries_by_key[0])}\n"
        f"dissimilarity = {toml_value(entries_by_key[2][0])}\n"
        f"[rounds]\nfirst = {toml_value(entries_by_key[1])}\n"
    )
