"""Draw docs/dev/packages.svg: the packages and who imports whom.

    python docs/dev/packages.py

A folder of `gammacp/` with a `subject.toml` is a subject, everything else is core. Imports inside
functions and for types alone count, too. An arrow that follows from two others is left out, and so
are arrows of packages that import each other: they stand in one box.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

import networkx

ROOT = Path(__file__).parents[2]
PICTURE = Path(__file__).with_suffix(".svg")
WIDTH, STEP, HIGH, MARGIN = 1100, 78, 30, 20
COLOURS = {True: ("#fdf3e1", "#b36b00"), False: ("#eef4fa", "#0072b2")}


def package_of(module: str) -> str:
    """Return the box of a dotted module; "" for the front of gammacp and for other libraries."""
    parts = module.split(".")
    if parts[0] == "shuffling":
        return "shuffling"
    if parts[0] != "gammacp" or len(parts) == 1 or parts[1].startswith("__"):
        return ""
    folder = ROOT / "gammacp" / parts[1]
    if folder.is_dir():
        return parts[1]
    # Single modules stand under everything, except for the checker of certificates.
    return "verify" if parts[1] == "verify" else "base"


def is_subject(package: str) -> bool:
    """Return whether a package is a subject."""
    return (ROOT / "gammacp" / package / "subject.toml").exists()


def imported_modules(path: Path) -> Iterator[str]:
    """Yield the dotted modules that a file imports, also inside its functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "gammacp":
            yield from (f"gammacp.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def import_graph() -> networkx.DiGraph[str]:
    """Return the packages with an edge from each to those that it imports."""
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    for top in ("gammacp", "shuffling"):
        for path in sorted((ROOT / top).rglob("*.py")):
            importer = package_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
            for module in imported_modules(path):
                imported = package_of(module)
                if importer and imported and importer != imported:
                    graph.add_edge(importer, imported)
    return graph


def rows_of_boxes(
    graph: networkx.DiGraph[str],
) -> tuple[networkx.DiGraph[int], dict[int, list[str]]]:
    """Return the reduced graph of boxes, and the packages in each box."""
    condensed = networkx.condensation(graph)
    reduced = networkx.transitive_reduction(condensed)
    members = {box: sorted(condensed.nodes[box]["members"]) for box in condensed}
    return reduced, members


def places_of(
    graph: networkx.DiGraph[int], members: dict[int, list[str]]
) -> dict[int, tuple[float, float]]:
    """Return the middle of each box: subjects above the core, importers above what they import."""
    depth: dict[int, int] = {}
    for box in reversed(list(networkx.topological_sort(graph))):
        depth[box] = 1 + max((depth[below] for below in graph.successors(box)), default=-1)
    deepest_core = max(depth[box] for box in graph if not is_subject(members[box][0]))
    for box in graph:
        if is_subject(members[box][0]):
            above = [depth[b] for b in graph.successors(box) if is_subject(members[b][0])]
            depth[box] = max(deepest_core + 1, *(d + 1 for d in above), 0)
    rows: dict[int, list[int]] = {}
    for box in sorted(graph, key=lambda box: members[box]):
        rows.setdefault(depth[box], []).append(box)
    top = max(rows)
    return {
        box: (WIDTH * (place + 1) / (len(row) + 1), MARGIN + HIGH + (top - level) * STEP)
        for level, row in rows.items()
        for place, box in enumerate(row)
    }


def picture() -> str:
    """Return the SVG."""
    graph, members = rows_of_boxes(import_graph())
    places = places_of(graph, members)
    height = max(y for _, y in places.values()) + HIGH + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
        'font-family="sans-serif" font-size="14" role="img" '
        'aria-label="packages of gammacp and the direction of their imports">',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#777"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height:g}" fill="#fff"/>',
    ]
    for importer, imported in sorted(graph.edges):
        (x0, y0), (x1, y1) = places[importer], places[imported]
        lines.append(
            f'<path d="M{x0:.0f} {y0 + HIGH / 2:.0f} L{x1:.0f} {y1 - HIGH / 2:.0f}" '
            'fill="none" stroke="#999" marker-end="url(#head)"/>'
        )
    for box, (x, y) in places.items():
        label = ", ".join(members[box])
        wide = 8 * len(label) + 24
        fill, edge = COLOURS[is_subject(members[box][0])]
        lines += [
            f'<rect x="{x - wide / 2:.0f}" y="{y - HIGH / 2:.0f}" width="{wide}" height="{HIGH}" '
            f'rx="6" fill="{fill}" stroke="{edge}"/>',
            f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{escape(label)}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
