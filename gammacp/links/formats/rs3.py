"""Rhetorical structure in rs3, as RSTTool and rstWeb write it: one file per annotator.

Follows the files of RSTTool (O'Donnell 2000) and rstWeb (Zeldes 2016). A file lists segments and
groups, each with its parent and the relation to it; the header tells which relations have several
nuclei. The tree is converted to links between segments: each relation links the heads of its two
sides, as in the dependency trees of Hirao et al. (2013) and Li et al. (2014). The head of a span is
the head of its nucleus, and the head of several nuclei is that of the first.
"""

from dataclasses import dataclass, field
from itertools import accumulate

from gammacp.continuum import Continuum
from gammacp.continuum.links import DIRECTED, UNDIRECTED
from gammacp.formats.registry import registered, sniff_ending_or_keys
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, Spans
from gammacp.formats.xmltree import Element, parse
from gammacp.links.collecting import collect
from gammacp.links.measures.parseval import Binary, Rhetoric, of_nuclei, with_satellites

_SPAN = "span"


@dataclass
class _Node:
    """A segment or a group, with its nuclei and satellites, each with the relation to it."""

    element: Element
    nuclei: list[tuple[str, str]] = field(default_factory=list)
    satellites: list[tuple[str, str]] = field(default_factory=list)


def read(source: Source) -> Continuum:
    """Read the segments of an annotator and the relations between them.

    Raises
    ------
    DataError
        A node has an unknown parent or is its own ancestor, or there is no segment.

    Notes
    -----
    Positions
        characters
    Annotators
        name of the folder
    Category
        none: units are unlabelled
    Spans
        every segment is a unit; the text is the segments joined by blanks. Each relation becomes a
        link from the head of the satellite to the head of the nucleus. A relation of several nuclei
        becomes undirected links from the first to each of the others. Groups are not units
    """
    root = parse(source)
    segments = root.at("body").all("segment")
    if root.tag != "rst" or not segments:
        raise root.error("file has no <rst> with segments", hint="Export it again")
    pieces = [" ".join(s.text.split()) for s in segments]
    who = source.annotator
    spans = Spans.of(source, CHARACTERS, " ".join(pieces))
    order: dict[str, int] = {}
    at = 0
    for element, text in zip(segments, pieces, strict=True):
        key = element.attribute("id")
        spans.add(who, None, at, at + len(text), line=element.line, key=key)
        order[key] = len(order)
        at += len(text) + 1
    heads: dict[str, str] = {}
    nodes = _from_below(root)
    collect("rhetoric", source.document, who, _tree(nodes, pieces, order))
    for key, node in nodes:
        nuclei_in_order = [(order[heads[n]], relation) for n, relation in node.nuclei if n in heads]
        if key in order:
            nuclei = [(order[key], "")]
        else:
            nuclei = sorted(nuclei_in_order)
        if not nuclei:
            spans.leave_out("group", "has no nucleus")
            spans.leave_out("relation", "leads to a group without a nucleus", len(node.satellites))
            continue
        if key in order:
            spans.leave_out("relation", "makes a segment the nucleus of another", len(node.nuclei))
        heads[key] = segments[nuclei[0][0]].attribute("id")
        for place, relation in nuclei[1:]:
            end = segments[place].attribute("id")
            spans.link(who, relation, heads[key], end, UNDIRECTED)
        for satellite, relation in node.satellites:
            if satellite in heads:
                spans.link(who, relation, heads[satellite], heads[key], DIRECTED)
    body = root.at("body")
    for element in body.children:
        if element.tag not in ("segment", "group"):
            reason = f"<{element.name}> is neither a segment nor a group"
            spans.leave_out("element", reason, len(element.children) or 1)
    for element in (inner for segment in segments for inner in segment.children):
        spans.leave_out("element", f"<{element.name}> is inside a segment, as is its text")
    for element in root.children:
        if element is not body and element.tag != "header":
            reason = f"<{element.name}> is outside the first body"
            spans.leave_out("element", reason, len(element.children) or 1)
    return spans.continuum()


def _tree(nodes: list[tuple[str, _Node]], pieces: list[str], order: dict[str, int]) -> Rhetoric:
    """Return the constituents of the tree, or the reason why there is none."""
    bare = ["".join(piece.split()) for piece in pieces]
    ends = list(accumulate(map(len, bare), initial=0))
    text = "".join(bare)
    tree_by_key: dict[str, Binary] = {}
    try:
        for key, node in nodes:
            if key in order:
                tree = Binary.leaf((ends[order[key]], ends[order[key] + 1]))
            else:
                nuclei = [
                    (tree_by_key.pop(n), relation)
                    for n, relation in node.nuclei
                    if n in tree_by_key
                ]
                if not nuclei:
                    continue
                tree = of_nuclei(nuclei)
            satellites = [
                (tree_by_key.pop(s), relation)
                for s, relation in node.satellites
                if s in tree_by_key
            ]
            tree_by_key[key] = with_satellites(tree, satellites)
    except ValueError as error:
        return Rhetoric(text, fault=str(error))
    if len(tree_by_key) > 1:
        return Rhetoric(text, fault=f"{len(tree_by_key)} trees instead of one")
    (whole,) = tree_by_key.values()
    return Rhetoric(text, tuple(whole.original), tuple(whole.rst))


def _from_below(root: Element) -> list[tuple[str, _Node]]:
    """Return the nodes in an order in which each follows all its descendants."""
    relations = root.at("header", "relations").all("rel")
    kinds = {(r.attributes.get("name"), r.attributes.get("type")) for r in relations}
    nodes: dict[str, _Node] = {}
    for element in root.at("body").children:
        if element.tag in ("segment", "group"):
            key = element.attribute("id")
            if key in nodes:
                raise element.error(f"there are two nodes {key!r}", hint="Export it again")
            nodes[key] = _Node(element)
    order = []
    for key, node in nodes.items():
        about = node.element.attributes
        above = about.get("parent")
        if above is None:
            if (relation_name := about.get("relname", _SPAN)) != _SPAN:
                raise node.element.error(
                    f"node {key!r} has the relation {relation_name!r}, but no parent"
                )
            order.append(key)
            continue
        if above not in nodes:
            what = f"node {key!r} has the parent {above!r}, which does not exist"
            raise node.element.error(what, hint="Export it again")
        relation = about.get("relname", "")
        parent = nodes[above]
        # If the header lists a relation under both kinds or neither, the type of the group decides.
        several = parent.element.attributes.get("type") == "multinuc" and (
            (relation, "multinuc") in kinds or (relation, "rst") not in kinds
        )
        if several or relation == _SPAN:
            among = parent.nuclei
        else:
            among = parent.satellites
        among.append((key, relation))
    for key in order:  # the loop extends this list
        order += [child for child, _ in (*nodes[key].nuclei, *nodes[key].satellites)]
    reached = {*order}
    if lost := {key: None for key in nodes if key not in reached}:
        at = next(iter(lost))
        while at in lost:  # go up to a node of the cycle, and once around it
            del lost[at]
            at = nodes[at].element.attribute("parent")
        raise nodes[at].element.error(f"node {at!r} is its own ancestor", hint="Export it again")
    return [(key, nodes[key]) for key in reversed(order)]


registered(
    "rs3",
    "RST trees (rs3)",
    (".rs3",),
    sniff_ending_or_keys(".rs3", b"<rst", b"<relations"),
    read,
    layout="{annotator}/{document}",
)
