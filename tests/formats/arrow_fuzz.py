"""Read damaged files of Arrow in a process of its own: `python arrow_fuzz.py FOLDER FIRST LAST`.

Change one to three bytes of every kind of file and read it. A crash of pyarrow ends the process, so
the kind and number of each change are printed before the file is read.
"""

import io
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import feather
from pyarrow import parquet as pq

import gammacp as gc
from gammacp import GammacpError


def units() -> Any:
    """Return a table with a column of each role and with non-ASCII names."""
    return pa.table(
        {
            "document": ["d1", "d1", "d2", "d2", "d2", None],
            "annotator": ["Ann", "Bób", "Bób", "Ann", "Zoë", "Ann"],
            "category": pa.array(["ä", None, "b", "ä", None, "b"]).dictionary_encode(),
            "start": [2, 3, 1, 1, None, 0],
            "end": [9.0, 9.5, 5.0, 4.0, None, 7.0],
            "fragments": [None, [[3.0, 4.0], [6.0, 9.5]], None, None, None, None],
            "unit": ["u1", "u2", "u3", "u4", "u5", "u6"],
        }
    )


def boxes() -> Any:
    """Return a table with shapes as structs."""
    shapes = [{"box": [[2.0, 9.0], [1.0, 4.0]]}, {"box": [[3.0, 9.0], [0.0, 2.0]]}]
    return pa.table({"annotator": ["a", "b"], "start": [2, 3], "end": [9, 9], "shape": shapes})


def links() -> Any:
    names = ("document", "annotator", "type", "source", "target", "kind")
    rows = [("d1", "Ann", "t", "u1", "u1", "directed"), ("d2", "Bób", "t", "u3", "u3", None)]
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))


def written(table: Any, kind: str) -> bytes:
    """Return the content of a file of a kind: feather, plain (uncompressed), stream or parquet."""
    out = io.BytesIO()
    if kind == "parquet":
        pq.write_table(table, out)
    elif kind == "stream":
        with pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    else:
        compression = "lz4" if kind == "feather" else "uncompressed"
        feather.write_feather(table, out, compression=compression)
    return out.getvalue()


def changes(content: bytes, first: int, last: int) -> Iterator[tuple[int, bytes]]:
    """Yield numbered copies with one to three bytes changed, or with their end cut off."""
    for number in range(first, last):
        draw = random.Random(number)
        changed = bytearray(content)
        for _ in range(draw.randint(1, 3)):
            changed[draw.randrange(8, len(changed))] = draw.randrange(256)
        if draw.random() < 0.05:
            del changed[draw.randrange(8, len(changed)) :]
        yield number, bytes(changed)


def read(path: Path) -> None:
    """Read a file and everything in it; an error of ours is a correct answer."""
    try:
        for continuum in gc.read_corpus(path).values():
            _ = [(u.annotator, u.category, u.start, u.end, u.fragments) for u in continuum]
    except GammacpError:
        return


def read_in_memory(content: bytes, kind: str) -> None:
    """Read a stream from memory as a table and as a frame."""
    if kind != "stream":
        return
    for reader in (gc.read_table, gc.Continuum.from_frame):
        try:
            reader(pa.ipc.open_stream(content).read_all())  # type: ignore[operator]
        except (GammacpError, pa.ArrowException, OSError, UnicodeDecodeError):
            continue


def main(folder: Path, first: int, last: int) -> None:
    """Read the changes of every kind of file with the given numbers."""
    for kind in ("feather", "plain", "stream", "parquet"):
        ending = "parquet" if kind == "parquet" else "arrow"
        path, beside = folder / f"c.{ending}", folder / f"c.links.{ending}"
        contents = {name: written(make(), kind) for name, make in TABLES.items()}
        for name, content in contents.items():
            for number, changed in changes(content, first, last):
                print(kind, name, number, flush=True)
                path.write_bytes(contents["units"] if name == "links" else changed)
                beside.unlink(missing_ok=True)
                if name == "links":
                    beside.write_bytes(changed)
                read(path)
                read_in_memory(changed, kind)
    print("all read")


TABLES = {"units": units, "boxes": boxes, "links": links}

if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
