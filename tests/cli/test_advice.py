"""Advice in errors: followed literally, it leads to the right number or to another error.

There is one row for each error with advice about reading, bounds, annotators and chance: the files,
the command, the error, and the next command with its result. The last test finds errors without a
row.
"""

import ast
import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import gammacp
import gammacp as gc
from gammacp import Continuum, Unit
from gammacp.base.subjects import subjects
from gammacp.chance.cut import prepare_cut
from gammacp.chance.non_overlapping import prepare_non_overlapping
from gammacp.chance.shift import prepare_shift
from gammacp.continuum.declaring import declare_grid, declare_read_until
from gammacp.continuum.grid import Grid
from gammacp.errors import DataError
from gammacp.formats.differing_texts import on_one_line
from gammacp.formats.merging import merge_parts

if "tools" not in subjects():
    pytest.skip("most rows are of files of tools", allow_module_level=True)

Run = Callable[..., Any]
Files = Mapping[str, str]
# A command is one of the command line, or a call in Python.
Command = tuple[str, ...] | Callable[[], Any]

WORK = {"Ann": [(0, 4, "a"), (10, 14, "b"), (20, 26, "a")], "Bob": [(0, 5, "a"), (11, 14, "b")]}
CID = {**WORK, "Cid": [(0, 4, "b"), (20, 25, "a")]}
_OTHERS = {"Cid": WORK["Ann"], "Dan": WORK["Bob"]}
TEXT = "abcde fghij klmno pqrst uvwxyz"


def units(work: Mapping[str, Any]) -> list[Unit]:
    return [Unit(who, *span) for who, spans in work.items() for span in spans]


def truth(work: Mapping[str, Any] = WORK, **declared: Any) -> Continuum:
    return Continuum.from_units(units(work), **declared)


def csv(*people: str, work: Mapping[str, Any] = WORK) -> str:
    rows = [f"{who},{c},{s},{e}" for who in people for s, e, c in work[who]]
    return "\n".join(["annotator,category,start,end", *rows, ""])


def doccano(who: str) -> str:
    return json.dumps({"id": 1, "text": TEXT, "label": WORK[who]}) + "\n"


def brat(who: str, text: str = TEXT, kinds: Mapping[str, str] = {}) -> str:
    spans = enumerate(WORK[who], 1)
    return "".join(f"T{n}\t{kinds.get(c, c)} {s} {e}\t{text[s:e]}\n" for n, (s, e, c) in spans)


def eaf(who: str, tier: str | None = None) -> str:
    times = sorted({t for s, e, _ in WORK[who] for t in (s, e)})
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="t{t}" TIME_VALUE="{t}"/>' for t in times)
    spans = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{n}" TIME_SLOT_REF1="t{s}" '
        f'TIME_SLOT_REF2="t{e}"><ANNOTATION_VALUE>{c}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION>'
        "</ANNOTATION>"
        for n, (s, e, c) in enumerate(WORK[who])
    )
    return (
        f'<ANNOTATION_DOCUMENT AUTHOR="" FORMAT="3.0"><TIME_ORDER>{slots}</TIME_ORDER>'
        f'<TIER TIER_ID="{tier or who}" LINGUISTIC_TYPE_REF="x">{spans}</TIER>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="x"/></ANNOTATION_DOCUMENT>'
    )


def textgrid(who: str) -> str:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.TextGrid"
        gc.write(Continuum.from_units(units({who: WORK[who]}), bounds=(0, 26)), path)
        return path.read_text(encoding="utf-8")


BROKEN = [Unit("Ann", 0, 9, "a", ((0, 4), (6, 9))), Unit("Bob", 0, 9, "a")]
PIECES = "annotator,category,start,end,fragments\nAnn,a,0,9,0 4;6 9\nBob,a,0,9,\n"


def tsv(layers: str) -> str:
    return f"#FORMAT=WebAnno TSV 3.3\n{layers}\n\n#Text=ab\n1-1\t0-2\tab\ta\tb\n"


def project() -> bytes:
    from io import BytesIO

    content = BytesIO()
    with ZipFile(content, "w") as archive:
        archive.writestr("exportedproject.json", "{}")
        archive.writestr("annotation_ser/d.txt/ann.ser", "x")
    return content.getvalue()


@dataclass(frozen=True)
class Row:
    """Error, and the outcome of its advice.

    Attributes
    ----------
    says
        Part of the message that no other error has.
    files, command
        Files and command that lead to the error.
    followed
        Next commands and their results: γ of a continuum (in Python the continuum itself) or a part
        of the next error, "" if there is none.
    changed
        Files that the advice changes.
    printed
        Literal text of the advice.
    site
        Message in the source, if it is composed elsewhere.
    """

    says: str
    files: Mapping[str, str | bytes]
    command: Command
    followed: Mapping[Command, Continuum | str]
    changed: Mapping[str, str | None] = field(default_factory=dict)
    printed: str = ""
    site: str = ""


GAMMA = ("gamma", "in")
TWO = "needs two annotators"
ONE = {"in/a.csv": csv("Ann", "Bob")}
BRAT = {f"in/{w}/d.ann": brat(w) for w in WORK} | {f"in/{w}/d.txt": TEXT for w in WORK}
LAYERS = "#T_SP=webanno.custom.A|value\n#T_SP=webanno.custom.B|value"
FEATURES = "#T_SP=webanno.custom.A|one|two"
OVERLAP = {**WORK, "Ann": [(0, 4, "a"), (2, 8, "b")]}
NOTE = '</TIER><TIER TIER_ID="note" PARENT_REF="Ann" LINGUISTIC_TYPE_REF="x"/>'


def webanno(layers: str) -> Files:
    return {f"in/d/{who}.tsv": tsv(layers) for who in WORK}


def alike(category: str) -> Continuum:
    return Continuum.from_units([Unit(who, 0, 2, category) for who in WORK])


def lines(offset_unit: str, text: str = TEXT) -> Continuum:
    """Merge two annotators' parts with texts that differ at their ends."""
    parts = [
        truth({who: WORK[who]}, text=text + end, offset_unit=offset_unit, name="d")
        for who, end in zip(WORK, "xy", strict=True)
    ]
    return merge_parts(on_one_line(parts)[0])


def joined(files: Files, layout: str, **declared: Any) -> Row:
    return Row(TWO, files, GAMMA, {(*GAMMA, "--layout", layout): truth(**declared)}, printed=layout)


def read(place: float, **declared: Any) -> Continuum:
    return declare_read_until(truth(**declared), {"Bob": place})


BOB = ("--read-until",)
SHORT = (*GAMMA, "--min-length", "1")
BOXES = """annotator,category,x0,x1,y0,y1,fragments
Ann,a,0,4,1,3,
Ann,b,10,14,2,5,
Bob,a,0,5,1,3,
Bob,b,11,14,2,4,
"""
BARE = json.dumps({
    "gammacp": 1,
    "continuum": {"unnamed": 3, "units": [["1", "a", 0, 4], ["2", "a", 0, 5]]},
})  # fmt: skip
TORN = BOXES.replace("0,4,1,3,", "0,4,1,3,0 1;3 4")


def boxes(**declared: Any) -> Continuum:
    rows = ((0, 4, "a"), (10, 14, "b")), ((0, 5, "a"), (11, 14, "b"))
    highs = ((1, 3), (2, 5)), ((1, 3), (2, 4))
    drawn = [
        Unit.box(who, (s, e), high, category=c)
        for who, spans, ys in zip(WORK, rows, highs, strict=True)
        for (s, e, c), high in zip(spans, ys, strict=True)
    ]
    return Continuum.from_units(drawn, **declared)


POINT = {**WORK, "Ann": [*WORK["Ann"], (5, 5, "p")]}
ROWS = [
    Row("so a least length does not apply", {"in/a.csv": csv("Ann", "Bob", work=POINT)}, SHORT,
        {(*SHORT, "--only", "a,b"): truth(), GAMMA: truth(POINT)}),
    joined({f"in/talk/{w}.eaf": eaf(w) for w in WORK}, "{document}/{annotator}"),
    joined({f"in/talk/{w}.eaf": eaf(w, "gesture") for w in WORK}, "{document}/{annotator}"),
    joined({f"in/{w}/talk.eaf": eaf(w) for w in WORK}, "{annotator}/{document}"),
    joined({f"in/talk-{w}.eaf": eaf(w) for w in WORK}, "{document}-{annotator}"),
    joined({f"in/{w}_talk.eaf": eaf(w) for w in WORK}, "{annotator}_{document}"),
    joined({f"in/{w}.TextGrid": textgrid(w) for w in WORK}, "{document}/{annotator}",
           bounds=(0, 26)),
    joined({f"in/d/{w}.csv": csv(w) for w in WORK}, "{document}/{annotator}"),
    joined({f"in/d_{w}.{end}": brat(w) if end == "ann" else TEXT
            for w in WORK for end in ("ann", "txt")}, "{document}_{annotator}"),
    Row(TWO, {f"in/talk/{w}.eaf": eaf(w).replace("</TIER>", NOTE if w == "Ann" else "</TIER>")
              for w in WORK}, GAMMA,
        {(*GAMMA, "--layout", "{document}/{annotator}"): truth()}),
    # Different texts by one annotator are different documents.
    Row(TWO, {f"in/Ann/d-{n}.{end}": brat("Ann", text) if end == "ann" else text
              for n, text in enumerate((TEXT, "1" * 30)) for end in ("ann", "txt")}, GAMMA,
        {(*GAMMA, "--document", "d-0", "--annotators", "Bob"):
         truth({"Ann": WORK["Ann"]}, annotators=["Ann", "Bob"])},
        printed="declare annotators who found nothing"),
    # There is only one annotator, so the advice is to declare those who found nothing.
    Row(TWO, {"in/a.csv": csv("Ann")}, GAMMA,
        {(*GAMMA, "--annotators", "Bob"):
         truth({"Ann": WORK["Ann"]}, annotators=["Ann", "Bob"])}, site="{}, but there is {}"),
    *(Row("occurs in two files", {f"in/{w}/{inside}.jsonl": doccano(w) for w in WORK}, GAMMA,
          {(*GAMMA, "--layout", "{annotator}/*"): truth()}, printed="{annotator}/*")
      for inside in ("all", "admin")),
    Row("occurs in two files", {f"in/{w}/all.jsonl": doccano(w) for w in WORK}, GAMMA,
        {GAMMA: TWO}, changed={"in/Bob/all.jsonl": None}, site="{} ({})"),
    # Errors of reading.
    Row("no file of a known format", {"in/a.xyz": "x"}, GAMMA, {GAMMA: truth()},
        changed={"in/a.csv": csv("Ann", "Bob")}),
    Row("format is not recognised", {"a.dat": "\0\1\2"}, ("gamma", "a.dat"),
        {("gamma", "a.dat", "--format", "csv"): "a.dat",
         ("gamma", "a.dat", "--format", "elan"): "a.dat"}),
    Row("not the layout that this tool writes",
        {f"in/{w}/all.json": json.dumps(json.loads(doccano(w)), indent=1) for w in WORK}, GAMMA,
        {(*GAMMA, "--format", "doccano"): "occurs in two files",
         (*GAMMA, "--format", "doccano", "--layout", "{annotator}/*"): truth()},
        printed="--format doccano"),
    Row("continua instead of one", {**ONE, "in/b.csv": csv("Bob", "Ann")}, lambda: gc.read("in"),
        {lambda: gc.read_corpus("in")["a"]: truth()}),
    Row("own binary format", {"p.zip": project()}, ("gamma", "p.zip"), {}),
    Row("continua where one is needed", {**ONE, "in/b.csv": csv("Bob", "Ann")}, ("align", "in"),
        {(*GAMMA, "--document", "a"): truth()}),
    Row("cannot be the name of a file",
        {"a.csv": csv("Ann", "Bob").replace("Ann", "A/n"), "t.txt": TEXT},
        ("convert", "a.csv", "in", "--to", "brat", "--texts", "t.txt"),
        {("convert", "a.csv", "in", "--to", "brat", "--texts", "t.txt", "--rename", "A/n=Ann"): "",
         GAMMA: truth()}),
    Row("too many for the name of a file",
        {"a.csv": csv("Ann", "Bob").replace("Ann", "A" * 300), "t.txt": TEXT},
        ("convert", "a.csv", "in", "--to", "brat", "--texts", "t.txt"),
        {("convert", "a.csv", "in", "--to", "brat", "--texts", "t.txt", "--rename",
          f"{'A' * 300}=Ann"): "", GAMMA: truth()}),
    Row("text differs between", BRAT | {"in/Bob/d.txt": TEXT + " more"}, GAMMA,
        {(*GAMMA, "--align-texts"): truth()}, printed="--align-texts"),
    Row("in common, less than half",
        BRAT | {"in/Bob/d.txt": "1" * 30, "in/Bob/d.ann": brat("Bob", "1" * 30)},
        (*GAMMA, "--align-texts"), {GAMMA: truth()}, site="texts of {} have {} {}",
        changed={"in/Bob/d.txt": TEXT, "in/Bob/d.ann": brat("Bob")}),
    Row("do not count characters of a text", {}, lambda: lines("s"),
        {lambda: lines("characters"): truth()}),
    Row("lies outside of the text of 5 tokens", {}, lambda: lines("tokens"),
        {lambda: lines("characters"): truth()}, site="lies outside of the text of {} tokens"),
    Row("lies outside of the text", {}, lambda: lines("characters", TEXT[:20]),
        {lambda: lines("characters"): truth()}, site="lies {}; the text"),
    Row("there are several layers", webanno(LAYERS), GAMMA,
        {(*GAMMA, "--layer", "B"): alike("b")}),
    Row("'C' does not occur", webanno(LAYERS), (*GAMMA, "--layer", "C"),
        {(*GAMMA, "--layer", "A"): alike("a")}, site="layer {} {}"),
    Row("has several features", webanno(FEATURES), GAMMA,
        {(*GAMMA, "--feature", "two"): alike("b")}),
    Row("'three' of layer", webanno(FEATURES), (*GAMMA, "--feature", "three"),
        {(*GAMMA, "--feature", "one"): alike("a")}, site="feature {} of layer"),
    # Errors of units and bounds.
    Row("there is no unit at all", {"in/a.csv": "annotator,category,start,end\nAnn,,,\nBob,,,\n"},
        GAMMA, {GAMMA: truth()}, changed={"in/a.csv": csv("Ann", "Bob")}),
    Row("units of several fragments", {"in/a.csv": PIECES}, ("calibrate", "in"),
        {(*GAMMA, "--option", "discontinuous=split"): Continuum.from_units(BROKEN).atoms(),
         (*GAMMA, "--option", "discontinuous=cover"): Continuum.from_units(BROKEN).hulls()},
        site="in_pieces"),
    Row("the 3 readers have no names", {"in/a.json": BARE}, GAMMA,
        {("unnamed", "in"): "", ("unnamed", "in", "--json"): ""},
        site="this needs to know who drew what"),
    Row("units have shapes and fragments", {"in/a.csv": TORN}, GAMMA,
        {(*GAMMA, "--option", "shapes=no"): Continuum.from_units(
            [Unit("Ann", 0, 4, "a", ((0, 1), (3, 4))), *list(boxes().hulls())[1:]])}),
    Row("< start", {"in/a.csv": csv("Ann", "Bob").replace("0,4", "4,0")}, GAMMA,
        {GAMMA: truth()}, changed={"in/a.csv": csv("Ann", "Bob")}),
    Row("outside the bounds", ONE, (*GAMMA, "--bounds", "5:20"),
        {(*GAMMA, "--bounds", "0:40"): truth(bounds=(0, 40)), GAMMA: truth()}),
    Row("beyond 2^53", {"in/a.csv": csv("Ann", "Bob").replace("0,4", f"0,{2**53 + 1}")}, GAMMA,
        {GAMMA: truth()}, changed={"in/a.csv": csv("Ann", "Bob")}),
    # Errors of reading limits and grids.
    Row("lies outside the text, ", ONE, (*GAMMA, *BOB, "Bob=40"),
        {(*GAMMA, *BOB, "Bob=40", "--bounds", "0:50"): read(40, bounds=(0, 50))}),
    Row("but has units up to", ONE, (*GAMMA, *BOB, "Bob=5"), {(*GAMMA, *BOB, "Bob=14"): read(14)},
        printed="Give at least 14"),
    Row("does not begin and end on the grid", ONE, (*GAMMA, "--grid", "4"),
        {(*GAMMA, "--grid", "1"): declare_grid(truth(), Grid("places", 1)), GAMMA: truth()}),
    Row("so nobody reads", {"in/a.csv": BOXES}, (*GAMMA, *BOB, "Bob=20"),
        {(*GAMMA, *BOB, "Bob=20", "--bounds", "0:30"):
         declare_read_until(boxes(bounds=(0, 30), offset_unit="s"), {"Bob": 20})},
        changed={"in/a.csv": "# offset unit: s\n" + BOXES}),
    Row("a grid has one axis", {"in/a.csv": BOXES}, (*GAMMA, "--grid", "1"),
        {(*GAMMA, "--grid", "1", "--option", "shapes=no"):
         declare_grid(boxes().hulls(), Grid("places", 1))}),
    Row("stopped reading early", ONE, (*GAMMA, *BOB, "Bob=20", "--chance", "shift"),
        {(*GAMMA, *BOB, "Bob=20", "--chance", "cut"): read(20),
         (*GAMMA, "--chance", "shift"): truth()}),
    Row("cannot model pauses", {**ONE, "m.csv": "start,end\n-5,5\n8,40\n"},
        (*GAMMA, "--markable", "m.csv", "--chance", "shift"),
        {(*GAMMA, "--markable", "m.csv", "--chance", "cut"):
         truth().with_markable([(-5, 5), (8, 40)]),
         (*GAMMA, "--chance", "shift"): truth()}),
    # Errors of annotators and categories.
    Row("does not occur", ONE, (*GAMMA, "--only", "z"), {(*GAMMA, "--only", "a,b"): truth()},
        site="{} {} does not occur"),
    Row("two annotators of", ONE, (*GAMMA, "--rename", "Ann=Bob"),
        {(*GAMMA, "--rename", "Ann=Zoe"): truth(), (*GAMMA, "--exclude", "Ann"): TWO}),
    # Errors of chance.
    Row("moves units along a time axis", {"in/a.csv": BOXES}, GAMMA,
        {GAMMA: boxes(offset_unit="s")}, changed={"in/a.csv": "# offset unit: s\n" + BOXES}),
    *(Row(f"chance model '{model}", files, (*GAMMA, "--chance", model.partition("'")[0]),
          {(*GAMMA, "--chance", "cut"): expected}, site=site)
      for model, files, expected, site in [
          ("documents' needs", ONE, truth(), "chance model {} needs at least"),
          ("corpus' needs", ONE, truth(), "chance model {} needs at least"),
          ("fixed-positions' needs", ONE, truth(), "chance model {} {} {}"),
          ("non-overlapping' cannot", {"in/a.csv": csv("Ann", "Bob", work=OVERLAP)},
           truth(OVERLAP), "chance model {} {} {}"),
          *((f"{model}' cannot", {"in/a.csv": PIECES}, Continuum.from_units(BROKEN),
             "chance model {} {} {}") for model in ("statistical", "statistical-normal")),
      ]),
    *(Row(f"chance model '{model}' takes every annotator once", {}, partial(once, [truth()], 3),
          {lambda: prepare_shift([truth()], 3): ""}, site="takes every annotator once")
      for model, once in [("cut", prepare_cut), ("non-overlapping", prepare_non_overlapping)]),
]  # fmt: skip


def put(files: Mapping[str, str | bytes | None]) -> None:
    for name, content in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.says)
def test_following_the_advice_has_the_stated_outcome(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: Row
) -> None:
    monkeypatch.chdir(tmp_path)
    put(row.files)
    code, said, _ = outcome_of(run, row.command)
    assert code in (2, 3), said
    assert row.says in said
    assert row.printed in said
    put(row.changed)
    for command, expected in row.followed.items():
        code, said, found = outcome_of(run, command)
        if isinstance(expected, str):
            assert expected in said
            assert code == (3 if expected else 0)
        elif callable(command):
            assert found.annotators == expected.annotators
            assert [*found] == [*expected]
        else:
            assert code == 0, said
            (result,) = json.loads(found)["results"]
            chance = dict(pairwise(command)).get("--chance", "cut")
            right = gc.gamma(expected, samples=20, chance=chance)
            value = float("nan") if result["gamma"] is None else result["gamma"]
            assert value == pytest.approx(right.value, abs=1e-9, nan_ok=True)
            counted = (result["annotators"], result["units"])
            assert counted == (expected.n_annotators, expected.n_units)


def outcome_of(run: Run, command: Command) -> tuple[int, str, Any]:
    """Return the exit code, the error output and the standard output of a command or call."""
    if callable(command):
        try:
            return 0, "", command()
        except DataError as error:
            return 3, str(error), None
    options = ("--samples", 20, "--json") if command[0] == "gamma" else ()
    outcome = run(*command, *options)
    return outcome.code, outcome.err, outcome.out


# Modules with errors that the rows must cover: reading, bounds, annotators, chance.
MODULES = (
    *(f"formats.{name}" for name in (
        "reading", "collection", "document_parts", "finding", "joining", "layout", "merging",
        "differing_texts", "layers", "selection",
    )),
    "continuum.needs", "continuum.columns", "continuum.continuum", "continuum.unit",
    "cli.options.reading", "cli.options.loading",
    *(f"chance.{path.stem}" for path in Path(gammacp.__file__).parent.glob("chance/*.py")),
)  # fmt: skip


def advised(name: str) -> Iterator[str]:
    """Yield the message of each error with a hint in a module, with {} for inserted values."""
    module = importlib.import_module(f"gammacp.{name}")
    nodes = [*ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")))]
    assigned = {
        target.id: node.value
        for node in nodes if isinstance(node, ast.Assign)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    for node in nodes:
        if isinstance(node, ast.Call) and any(k.arg == "hint" for k in node.keywords):
            message = node.args[0] if node.args else None
            match assigned.get(message.id, message) if isinstance(message, ast.Name) else message:
                case ast.Constant(value=value):
                    yield str(value)
                case ast.JoinedStr(values=parts):
                    yield "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in parts)
                case ast.expr() as made:
                    yield ast.unparse(made)


# Errors about permissions and links are covered by tests/formats/test_unread_places.py.
IN_OTHER_TESTS = {
    "folder cannot be opened",
    "is a link to a file that is not there",
    "different files of this name",
    "has several sizes",  # this one by tests/shapes/test_masks.py
}


@pytest.mark.parametrize("name", MODULES)
def test_every_error_with_advice_has_a_row(name: str) -> None:
    sites = {row.site or row.says for row in ROWS} | IN_OTHER_TESTS
    for message in advised(name):
        assert any(site in message for site in sites), f"no row follows the advice of: {message}"


@pytest.mark.parametrize("command", ["gamma", "measure", "compare"])
def test_files_of_one_annotator_each_are_one_error(run: Run, tmp_path: Path, command: str) -> None:
    """The error is one line with one advice, and following it gives a value."""
    files = [tmp_path / "talk" / f"{who}.csv" for who in CID]
    files[0].parent.mkdir()
    for who, path in zip(CID, files, strict=True):
        path.write_text(csv(who, work=CID), encoding="utf-8")
    refused = run(command, *files)
    assert (refused.code, refused.out) == (3, "")
    (line,) = refused.err.splitlines()
    assert ", ".join(map(str, files)) in line
    assert line.count("--layout '{document}/{annotator}' (talk by Ann, Bob, Cid)") == 1
    advised = ("--layout", "{document}/{annotator}", "--samples", 5)
    assert run(command, *files, *advised).code == 0


def test_documents_without_values_have_a_reason_instead_of_a_table(
    run: Run, tmp_path: Path
) -> None:
    people = {"one": "Ann", "two": "Bob"}
    files = [tmp_path / f"{name}.csv" for name in (*people, "all")]
    for path in files:
        who = people.get(path.stem)
        path.write_text(csv(who) if who else csv("Cid", "Dan", work=_OTHERS), encoding="utf-8")
    found = run("measure", *files, "-m", "gamma,ser", "--samples", 5)
    assert found.code == 0
    # once for the document with values, and once for the corpus
    assert found.out.count("measure") == 2
    assert found.err.count("--layout") == 2  # once for the documents, and once for the corpus
    compared = run("compare", *files, "--samples", 5, "--by", "document")
    assert compared.out.count("--layout") == 1
    assert f"{files[0]}, {files[1]}: γ is undefined: " in compared.out
