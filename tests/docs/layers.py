"""Who imports whom, read from the source, and the picture of it in docs/dev."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "dev" / "packages.svg"

# Top to bottom; a package imports from its own row's own self and from the rows below.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("cli",),
    ("studio", "syntax", "segmentation", "shapes", "links"),
    ("report", "compat", "testing", "warming"),
    ("campaign",),
    ("bench",),
    ("measures",),
    ("alignment",),
    ("dissimilarity",),
    ("chance",),
    ("formats", "datasets"),
    ("shuffling",),
    ("foundations",),
)
# What one kind of data has beyond its measures; only `cli` reaches into a wing.
WINGS = {"segmentation", "syntax", "links", "studio", "compat", "shapes"}
HOMES = {"checking": "testing"}  # single modules that are part of another
ROW = {package: number for number, row in enumerate(LAYERS) for package in row}


@cache
def imports() -> dict[tuple[str, str], set[str]]:
    """(importing package, imported package) → the modules that do so; lazy imports count."""
    found: dict[tuple[str, str], set[str]] = {}
    for package in ("gammacp", "shuffling"):
        for path in sorted((ROOT / package).rglob("*.py")):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for target in _targets(path):
                pair = (package_of(module), package_of(target))
                if pair[0] != pair[1] and "" not in pair:
                    found.setdefault(pair, set()).add(module)
    return found


def package_of(module: str) -> str:
    """The box of the picture that a module is in; "" for gammacp's own front."""
    parts = module.removesuffix(".__init__").split(".")
    if parts[-1] == "command":  # what a wing brings to the command line
        return "cli"
    if parts[0] != "gammacp":
        return parts[0]
    if len(parts) == 1 or parts[1] in ("__init__", "__main__"):
        return ""
    name = HOMES.get(parts[1], parts[1])
    return name if name in ROW else "foundations"


def _targets(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        yield from (name for name in names if name.split(".")[0] in ("gammacp", "shuffling"))


def upward(found: dict[tuple[str, str], set[str]]) -> dict[tuple[str, str], set[str]]:
    """Imports that do not point down."""
    return {pair: modules for pair, modules in found.items() if ROW[pair[0]] >= ROW[pair[1]]}


def picture(found: dict[tuple[str, str], set[str]]) -> str:
    """The packages row by row, an arrow for each import between neighbours in the order; as SVG.

    An import that follows from two others (a to b, b to c) is not drawn: the arrows are the
    transitive reduction of the downward imports. Everything stands on the foundations.
    """
    edges = {pair for pair in found if pair not in upward(found) and pair[1] != "foundations"}
    edges = {
        (a, b)
        for a, b in edges
        if not any((a, c) in edges and _reaches(c, b, edges) for c in ROW if c not in (a, b))
    }
    present = {package for pair in found for package in pair}
    rows = [kept for row in LAYERS if (kept := [p for p in row if p in present])]
    width, high, step = 128, 30, 66
    span = 680
    place = {
        package: (span * (i + 1) / (len(row) + 1), 24 + number * step)
        for number, row in enumerate(rows)
        for i, package in enumerate(row)
    }
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {span} {len(rows) * step}" '
        'font-family="sans-serif" font-size="14" role="img" '
        'aria-label="packages of gammacp and the direction of their imports">',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
        f'<rect width="{span}" height="{len(rows) * step}" fill="#fff"/>',
    ]
    for a, b in sorted(edges):
        lines.append(_arrow(place[a], place[b], high, step))
    for package, (x, y) in place.items():
        wide = span - 40 if package == "foundations" else width
        lines += [
            f'<rect x="{x - wide / 2:g}" y="{y - high / 2:g}" width="{wide}" height="{high}" '
            'rx="6" fill="#eef4fa" stroke="#0072B2"/>',
            f'<text x="{x:g}" y="{y + 5:g}" text-anchor="middle">{escape(package)}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def _reaches(a: str, b: str, edges: set[tuple[str, str]]) -> bool:
    return a == b or any(_reaches(d, b, edges) for c, d in edges if c == a)


def _arrow(start: tuple[float, float], end: tuple[float, float], high: float, step: float) -> str:
    (x0, y0), (x1, y1) = start, end
    y0, y1 = y0 + high / 2, y1 - high / 2
    # Arrows that pass other rows bow to the side.
    bow = 0 if y1 - y0 < step else (95 + (y1 - y0) / 8) * (1 if (y1 - y0) // step % 2 else -1)
    middle = (y0 + y1) / 2
    return (
        f'<path d="M{x0:g} {y0:g} C{x0 + bow:g} {middle:g} {x1 + bow:g} {middle:g} {x1:g} {y1:g}" '
        'fill="none" stroke="#555" marker-end="url(#head)"/>'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(imports()), encoding="utf-8")
