"""The ledger: sentences as predicates on what experiments wrote.

One TOML file per paper or study in the folder `claims` of the experiments:

title = "Mathet, Widlöcher & Métivier 2015"

[[claim]]
words = "γ shows a good range of responses, from 1 to 0.2"
place = "§6.3.4, Figure 27"
kind = "sweep"                       # one of KINDS
csv = "mathet2015_fig26/split.csv"   # under results/
check = "equals"                     # a name in CHECKS, with its parameters beside it
where = { measure = "gamma" }        # a list: one test for each of its values
x = "magnitude"                      # these two are what a sweep has that names no y
y = "mean"
within = [1.0, 1.0]                  # of x; optional
other = { measure = "ser" }          # for checks that compare two series; "*" is any value
value = 0.2
tests = [{ within = [0, 0], value = 1 }]  # several predicates: each overrides what stands above;
                                     # one with a check of its own brings its parameters too
fails_because = "…"                  # set where the sentence does not come out: the evidence
fitted = true                        # settings were chosen to make it true
full_scale = true                    # too fine for a quick run

[[left_out]]
words = "…"
place = "…"
reason = "…"                         # why it is not a predicate
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from gammacp.base.arguments import did_you_mean
from gammacp.base.toml_files import read_toml
from gammacp.bench.ledger.checks import CHECKS, ClaimVerdict
from gammacp.bench.ledger.series import Series, read_rows, select
from gammacp.errors import DataError, UsageError

# What the truth of a sentence depends on: numbers in the paper itself; a definition, so that it
# holds by construction; the result of our code on an example; curves of a sweep; durations, which
# depend on the machine.
KINDS = ("arithmetic", "definition", "code", "sweep", "hardware")
_SWEPT = {"x": "magnitude", "y": "mean"}


@dataclass(frozen=True)
class Predicate:
    """One predicate of a sentence; see the module for the fields."""

    csv: str
    check: str
    y: str
    x: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    within: tuple[float, float] | None = None
    other: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def experiment(self) -> str:
        """Return the name of the experiment whose results are tested."""
        return self.csv.partition("/")[0]

    def series(self, results: Path) -> tuple[Series, Series | None]:
        """Return the tested series, and the one it is compared with, or None.

        Parameters
        ----------
        results
            The folder with a folder per experiment.

        Raises
        ------
        DataError
            The file, a column, or any row or point that the test names is not there.
        """
        path = results / self.csv
        rows = read_rows(path)
        tested = select(rows, path, self.where, self.x, self.y)
        other = None
        if self.other is not None:
            other = select(rows, path, {**self.where, **self.other}, self.x, self.y)
        if self.within is None:
            return tested, other
        tested = tested.within(*self.within)
        if not len(tested.x):
            raise DataError(f"no point lies within {self.within}", file=path)
        return tested, other and other.within(*self.within)

    def verdict(self, results: Path) -> ClaimVerdict:
        """Return the verdict on `results`, with the measured values."""
        tested, other = self.series(results)
        try:
            return CHECKS[self.check].call(tested, other, self.parameters)
        except UsageError as error:
            points, times = np.unique(tested.x, return_counts=True)
            twice = points[times > 1]
            if not len(twice):
                raise
            raise DataError(
                f"{int(times.max())} rows have {self.x} = {twice[0]:g}, so they are several curves",
                file=results / self.csv,
                hint="Narrow `where`",
            ) from error


@dataclass(frozen=True)
class Claim:
    """One sentence that can be checked; see the module for the fields."""

    words: str
    place: str
    kind: str
    tests: tuple[Predicate, ...]
    fails_because: str | None = None
    fitted: bool = False
    full_scale: bool = False


@dataclass(frozen=True)
class UntestedSentence:
    """A sentence that is not tested, and why."""

    words: str
    place: str
    reason: str


@dataclass(frozen=True)
class Ledger:
    """The sentences of one paper; `name` is that of its file."""

    name: str
    title: str
    claims: tuple[Claim, ...]
    left_out: tuple[UntestedSentence, ...]


@dataclass(frozen=True)
class Checked:
    """A claim with the verdict on each of its tests."""

    claim: Claim
    verdicts: tuple[ClaimVerdict, ...]

    @property
    def outcome(self) -> str:
        """Return `holds` if every test does, `open` if sets are too few for one, or `fails`."""
        if all(v.holds for v in self.verdicts):
            return "holds"
        if all(v.holds or v.open for v in self.verdicts):
            return "open"
        return "fails"

    @property
    def holds(self) -> bool:
        """Return whether every test holds."""
        return self.outcome == "holds"

    @property
    def measured(self) -> str:
        """Return the measured values of tests that fail, or of all if none does; each once."""
        telling = {
            "holds": self.verdicts,
            "open": [v for v in self.verdicts if v.open],
            "fails": [v for v in self.verdicts if not (v.holds or v.open)],
        }
        return "; ".join(dict.fromkeys(v.measured for v in telling[self.outcome]))

    @property
    def defect(self) -> str | None:
        """Return the fault of the ledger's entry: a missing or a needless explanation."""
        explained = self.claim.fails_because is not None
        if self.outcome == "fails" and not explained:
            return "fails without a reason written down"
        if self.holds and explained:
            return "holds, and still says why it fails"
        return None


def load_ledgers(folder: Path) -> list[Ledger]:
    """Read all ledgers of a folder, sorted by name.

    Parameters
    ----------
    folder
        Folder with a TOML file per paper or study.

    Raises
    ------
    DataError
        A file is not TOML, lacks a key or has one that nothing reads; a sentence stands twice.
    """
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise DataError("holds no ledger (a TOML file per paper)", file=folder)
    return [_ledger(path) for path in paths]


def _ledger(path: Path) -> Ledger:
    document, _ = read_toml(path)
    entries = {k: _entries(document.pop(k, []), k, path) for k in ("claim", "left_out")}
    title = _typed(document.pop("title", path.stem), str, "title", path)
    if document:
        raise DataError(f"unknown key {next(iter(document))!r}", file=path)
    if not any(entries.values()):
        raise DataError("holds no claim", file=path, hint="Begin one with [[claim]]")
    claims = [_claim(dict(e), f"claim {i}", path) for i, e in enumerate(entries["claim"], 1)]
    left_out = []
    for i, entry in enumerate(entries["left_out"], 1):
        _exactly(entry, {"words", "place", "reason"}, f"left_out {i}", path)
        left_out.append(UntestedSentence(**entry))
    every: list[Claim | UntestedSentence] = [*claims, *left_out]
    occurrences = Counter((e.place, e.words) for e in every)
    for _, words in [entry for entry, times in occurrences.items() if times > 1]:
        raise DataError(f"{words!r} stands twice", file=path)
    return Ledger(path.stem, title, tuple(claims), tuple(left_out))


def _entries(value: object, key: str, path: Path) -> list[dict[str, Any]]:
    """Return the tables of an array of tables."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise DataError(f"{key!r} is no array of tables", file=path, hint=f"Write [[{key}]]")
    return value


def _typed(value: Any, kind: type, name: str, path: Path) -> Any:
    """Return a value if it has the given type; raise DataError otherwise."""
    if not isinstance(value, kind):
        type_name = "text"
        if kind is dict:
            type_name = 'a table, such as { measure = "gamma" }'
        raise DataError(f"{name} is {value!r}, not {type_name}", file=path)
    return value


def _claim(entry: dict[str, Any], name: str, path: Path) -> Claim:
    head_keys = {f.name for f in fields(Claim)} - {"tests"}
    head = {key: entry.pop(key) for key in head_keys & entry.keys()}
    name = f"{name} ({head.get('words', 'without words')})"
    for key in ("words", "place", "kind"):
        if key not in head:
            raise DataError(f"{name} has no {key!r}", file=path)
    if "fails_because" in head and not str(head["fails_because"]).strip():
        raise DataError(f"{name}: 'fails_because' is empty: say why", file=path)
    if head["kind"] not in KINDS:
        raise DataError(
            f"{name}: kind {head['kind']!r} is not one of {', '.join(KINDS)}", file=path
        )
    base = entry
    if head["kind"] == "sweep" and "y" not in entry:
        base = {**_SWEPT, **entry}
    overrides = base.pop("tests", [{}])
    tests = [t for override in overrides for t in _tests(base, override, name, path)]
    return Claim(**head, tests=tuple(tests))


def _tests(
    base: Mapping[str, Any], override: Mapping[str, Any], name: str, path: Path
) -> Iterator[Predicate]:
    """Yield the predicates of one entry.

    There is one for each combination of the values that `where` lists.
    """
    predicate_keys = {f.name for f in fields(Predicate)} - {"parameters"}
    if "check" in override:  # another check brings its own parameters
        base = {k: v for k, v in base.items() if k in predicate_keys}
    for some in (base, override):
        for key in ("csv", "check", "x", "y"):
            _typed(some.get(key, ""), str, f"{name}: {key!r}", path)
        for key in ("where", "other"):
            _typed(some.get(key, {}), dict, f"{name}: {key!r}", path)
    merged = {**base, **override, "where": {**base.get("where", {}), **override.get("where", {})}}
    head = {k: v for k, v in merged.items() if k in predicate_keys}
    parameters = {k: v for k, v in merged.items() if k not in predicate_keys}
    _exactly(head, {"csv", "check", "y"}, name, path, optional=predicate_keys)
    try:
        check = CHECKS[head["check"]]
    except UsageError as error:
        raise DataError(f"{name}: {error}", file=path) from None
    _exactly(parameters, check.required, f"{name}, {head['check']}", path, optional=check.optional)
    if "check" in override and not check.compares and "other" not in override:
        head.pop("other", None)
    if check.compares and "other" not in head:
        raise DataError(f"{name}: {head['check']} needs 'other'", file=path)
    if not check.compares and "other" in head:
        raise DataError(f"{name}: {head['check']} takes no 'other'", file=path)
    if "within" in head:
        if not isinstance(head["within"], list) or len(head["within"]) != 2:
            raise DataError(f"{name}: 'within' is not [low, high]", file=path)
        head["within"] = tuple(head["within"])
    lists = {k: v if isinstance(v, list) else [v] for k, v in head["where"].items()}
    for values in product(*lists.values()):
        where = dict(zip(lists, values, strict=True))
        yield Predicate(**{**head, "where": where}, parameters=parameters)


def _exactly(
    entry: Mapping[str, Any],
    required: frozenset[str] | set[str],
    name: str,
    path: Path,
    *,
    optional: frozenset[str] | set[str] = frozenset(),
) -> None:
    """Raise DataError if a key is missing or unknown."""
    for key in sorted(required - entry.keys()):
        raise DataError(f"{name} has no {key!r}", file=path)
    for key in sorted(entry.keys() - required - optional):
        raise DataError(f"{name}: unknown key {key!r}", file=path)


def refuse_unknown_experiments(ledgers: Sequence[Ledger], experiments: Collection[str]) -> None:
    """Raise DataError if a claim is about an unknown experiment.

    Parameters
    ----------
    ledgers
        All ledgers of a folder.
    experiments
        Names of its experiments.
    """
    for ledger in ledgers:
        for claim in ledger.claims:
            for test in claim.tests:
                if test.experiment not in experiments:
                    guess = did_you_mean(test.experiment, experiments)
                    raise DataError(
                        f"claim {claim.words!r} of {ledger.name} reads {test.csv!r}, and there is "
                        f"no experiment {test.experiment!r}; {guess}csv is EXPERIMENT/FILE.csv"
                    )


def check(claim: Claim, results: Path) -> Checked:
    """Check a claim against the files in `results`.

    Parameters
    ----------
    claim
        A claim of a ledger.
    results
        The folder with a folder per experiment.

    Raises
    ------
    DataError
        The file or a column that the claim names is not there; the message has its words.
    """
    try:
        return Checked(claim, tuple(test.verdict(results) for test in claim.tests))
    except DataError as error:
        raise error.within(f"claim {claim.words!r}") from None
