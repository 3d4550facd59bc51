"""`gammacp measure`: several measures side by side, of documents and of a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gammacp.base.arguments import one_of
from gammacp.base.text import group_by_text, in_short
from gammacp.cli.interrupting import end_if_interrupted
from gammacp.cli.measured import MeasureTask, Together
from gammacp.cli.options.groups import Brought, option
from gammacp.cli.options.loading import load, reading_json
from gammacp.cli.options.names import plain_name
from gammacp.cli.options.reading import Files, Reading, split_names
from gammacp.cli.options.settings import (
    ComputingFlags,
    GammaFlags,
    Thresholds,
)
from gammacp.cli.output import AsJson, message, messages, print_json, show
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.cli.judging import Judged
    from gammacp.measures.matching.label_matching import LabelMatching
    from gammacp.measures.score import Score


@dataclass(frozen=True)
class Chosen:
    """Choice of measures, with their options."""

    measures: list[str] | None = option(
        "Measures to compute (A,B; repeatable), or all (see gammacp measures).  "
        "[default: gamma,u-alpha-2013,cu-alpha,kappa-d,ser]",
        "NAME",
        names=("--measures", "-m"),
        complete_from="measure",
    )
    metric: str | None = option(
        "For the α family and gwet-ac: nominal, interval, ratio, jaccard, masi, tree, "
        "tree-information, a CSV file with a matrix, or the categories of a dissimilarity file.",
        "NAME|MATRIX.csv|FILE.toml",
    )
    bootstrap: int | None = option("Bootstrap draws, for measures that take them.", min=0)
    coefficient: str | None = option(
        "For kappa-d and kappa: fleiss, cohen, conger or alpha.  [default: fleiss]", "NAME"
    )
    overlap: float | None = option(
        "For easydiag-kappa: share that linked units have in common.  [default: 0.6]",
        "SHARE",
        min=0,
        max=1,
    )
    unit: float | None = option(
        "For time-unit-kappa and nw-identity: length of the time unit.  [default: a second, or 1]",
        "LENGTH",
    )
    tolerance: float | None = option(
        "For time-unit-kappa and boundaries: difference that is tolerated.  [default: 0]", "LENGTH"
    )
    reuse: float | None = option(
        "For soft-gamma: price of using a unit once more, from 0 (soft γ) to 1 (γ).  [default: 0]",
        "SHARE",
    )
    beyond_chance: bool = option(
        "Also 1 − D/E[D] of every measure: its disagreement D, relative to the mean D of random "
        "sets of the chance model; and the share p of sets that agree at least as well.",
        default=False,
    )

    @property
    def distance(self) -> Any:
        """Return the distance that `--metric` names."""
        from gammacp.dissimilarity import dissimilarity

        if self.metric is None:
            return None
        if self.metric.lower().endswith(".toml"):
            return dissimilarity(self.metric).categorial
        return plain_name("--metric", self.metric)

    def options(
        self, names: Sequence[str], settings: GammaFlags, brought: Brought
    ) -> dict[str, Any]:
        """Return the options of these measures, by name.

        Raise a UsageError if an option was given that none of the measures has.
        """
        from gammacp.measures.beyond_chance import CHANCE_OPTIONS
        from gammacp.measures.registry import MEASURES, UNITS

        units = any(MEASURES[name].applies_to in UNITS for name in names)
        if units:
            chance = CHANCE_OPTIONS
        else:
            chance = frozenset({"seed"})
        accepted = (chance if self.beyond_chance else frozenset()).union(
            *(MEASURES[name].options for name in names)
        )
        names_of_own = (
            "metric",
            "bootstrap",
            "coefficient",
            "overlap",
            "unit",
            "tolerance",
            "reuse",
        )
        values = {k: getattr(self, k) for k in names_of_own}
        values = {key: value for key, value in values.items() if value is not None}
        if self.coefficient is not None:
            from gammacp.measures.labels.coefficients import COEFFICIENTS

            one_of("coefficient", self.coefficient, COEFFICIENTS)
        values |= brought.chosen_values()
        accepted_changes = accepted
        if self.metric is not None:
            values["metric"] = self.distance
        if settings.weighing.features and "metric" in accepted:
            accepted_changes |= {"dissimilarity"}
            values.setdefault("metric", settings.weighing.dissimilarity().categorial)
        for name, wanted in {**{key: key for key in values}, **settings.changed_options()}.items():
            if wanted not in accepted_changes:
                raise UsageError(f"--{name} is an option of none of: {', '.join(names)}")
        options = {**settings.options(), **values}
        return {k: v for k, v in options.items() if k in accepted}


@dataclass(frozen=True)
class Asked:
    """Options of `measure` beyond the documents' values."""

    by: list[str] | None = option(
        "Also by category, pair or document (A,B; repeatable).", "category|pair|document"
    )
    reference: str | None = option(
        "Annotator whom the others are compared with, with recall and precision.", "NAME"
    )
    match_labels: str | None = option(
        "Labels are arbitrary names (speakers, clusters), the same in all documents or within "
        "one: map them one to one by shared length, of one annotator onto the other's, or of all "
        "onto those of --reference.",
        "corpus|document",
    )

    @property
    def parts(self) -> list[str]:
        """Return the names in `--by`; raise a UsageError for an unknown one."""
        divisions = ("category", "pair", "document")
        return [one_of("by", name, divisions) for name in split_names(self.by, "--by")]

    def check_match_labels(self) -> None:
        """Raise a UsageError for an invalid value of `--match-labels`."""
        if self.match_labels is not None:
            from gammacp.measures.matching.label_matching import SCOPES

            one_of("--match-labels", plain_name("--match-labels", self.match_labels), SCOPES)

    def matching(self, read: Mapping[str, Any]) -> LabelMatching | None:
        """Return how labels are matched; None if they are not.

        Parameters
        ----------
        read
            Data by name, which must be continua.
        """
        if self.match_labels is None:
            return None
        from gammacp.continuum import Continuum
        from gammacp.measures.corpora.measuring import check_reference
        from gammacp.measures.matching.label_matching import LabelMatching

        label_matching = LabelMatching(
            plain_name("--match-labels", self.match_labels), self.reference
        )
        if not all(isinstance(c, Continuum) for c in read.values()):
            raise UsageError("--match-labels is for units, but these are no continua")
        check_reference(read, self.reference)
        return label_matching


def measure(
    reading: Reading,
    settings: GammaFlags,
    chosen: Chosen,
    asked: Asked,
    brought: Brought,
    thresholds: Thresholds,
    computing: ComputingFlags,
    files: Files = None,
    json: AsJson = False,
) -> None:
    """Measure documents and a corpus with several measures.

    The corpus has the measure's formula on counts that are summed over the documents, the mean of
    the documents, and an interval over documents like these. A measure that does not apply says
    why. Ctrl-C stops with the values that are known so far.

    Example: gammacp measure data/ -m f1-strict --reference gold --by category

    Most used: --measures, --reference and --by.
    """
    from gammacp.base.stopping import interruptible
    from gammacp.dissimilarity.base import features_of

    names = chosen_measures(chosen.measures)
    parts = asked.parts
    asked.check_match_labels()
    if thresholds.is_set and len(names) > 1:
        raise UsageError(
            f"--fail-under is for one measure, but there are {len(names)}: {', '.join(names)}; "
            "give one with --measures"
        )
    options = chosen.options(names, settings, brought)
    features = (*settings.weighing.features, *features_of(chosen.distance))
    read, losses, files_of = _data(names, files, reading, brought, tuple(dict.fromkeys(features)))
    matching = asked.matching(read)
    matched = None
    if matching is not None:
        matched = matching.match_data(read)
        read = matched.documents
        message(matched.describe())
    task = MeasureTask.of(names, options, chosen.beyond_chance, matching, read)
    _tell_many(len(read), task.alone, beyond_chance=chosen.beyond_chance)
    with computing.pool("documents") as (pool, progress_line), interruptible() as interrupted:
        scores, joint = task.measure(read, pool, progress_line)
        together = Together.of(
            read,
            scores,
            parts,
            asked.reference,
            beyond_chance=chosen.beyond_chance,
            options=options,
            executor=pool,
            matching=matching,
            joint=joint,
        )
    together = replace(together, matched=matched)
    use_of_stretches = _markable(read, scores)
    if json:
        print_json({**together.as_dict(), **use_of_stretches, **losses})
    else:
        _print(together, settings.sampling.seed)
        _tell_stretches(use_of_stretches.get("markable", {}))
    end_if_interrupted(interrupted, "values that are missing were not computed")
    if not any(map(_has_value, together.each)):
        _check(scores)
    every = (score for document_scores in scores.values() for score in document_scores.values())
    settings.solving.check_proven(*(score.status for score in every))
    thresholds.check(lambda: _judged(names[0], together, files_of))


def _judged(name: str, together: Together, files: Mapping[str, str]) -> Judged:
    """Return the value of the only measure, to compare with thresholds."""
    from gammacp.cli.judging import judged_scores

    whole: Mapping[str, Mapping[str, Any]] = together.parts or together.documents
    documents = {document: scores[name] for document, scores in whole.items()}
    return judged_scores(name, together.headline[name], documents, files)


def _tell_many(documents: int, names: Sequence[str], *, beyond_chance: bool) -> None:
    """Warn that random sets of many single documents take long, and name a faster way."""
    from gammacp.measures.random_sets import OWN_CHANCE
    from gammacp.measures.registry import MEASURES

    drawing = [n for n in names if beyond_chance or "samples" in MEASURES[n].options]
    if documents > OWN_CHANCE and drawing:
        message(
            f"{', '.join(drawing)}: each of the {documents} documents gets random sets of its own, "
            "which takes long; γ is faster, because documents share its random sets"
        )


def _markable(
    read: Mapping[str, Any], scores: Mapping[str, Mapping[str, Score]]
) -> dict[str, dict[str, list[str]]]:
    """Return which measures use the markable stretches; empty if `read` declares none."""
    if any(getattr(data, "markable", ()) for data in read.values()):
        return {"markable": _use_of_stretches(scores)}
    return {}


def _use_of_stretches(scores: Mapping[str, Mapping[str, Score]]) -> dict[str, list[str]]:
    """Return which measures use the markable stretches, and which do not.

    Stretches are used when random sets are drawn, as the chance model in the signature shows.
    """
    readers: dict[str, bool] = {}
    for measured in scores.values():
        for name, score in measured.items():
            signatures = [score.signature, getattr(score.beyond_chance, "signature", None)]
            drawn = any("(markable=" in text for text in signatures if text)
            readers[name] = readers.get(name, False) or drawn
    return {
        "read_by": [name for name, drawn in readers.items() if drawn],
        "not_read_by": [name for name, drawn in readers.items() if not drawn],
    }


def _tell_stretches(use: Mapping[str, Sequence[str]]) -> None:
    """Print which measures leave pauses out of chance, and which count them as silence."""
    if use.get("not_read_by"):
        reading = ", ".join(use["read_by"]) or "no measure here"
        message(
            f"markable stretches are read by {reading}, not by {', '.join(use['not_read_by'])}: "
            "these count pauses as time that could have been marked"
        )


def _data(
    names: list[str],
    files: Files,
    reading: Reading,
    brought: Brought,
    features: Sequence[str],
) -> tuple[Mapping[str, Any], dict[str, Any], Mapping[str, str]]:
    """Return the data of `files` by name, the JSON on omissions, and the file of each document.

    Option groups with `applies_to` read data that are not continua.
    """
    from gammacp.measures.registry import MEASURES

    for group in brought.groups:
        if not hasattr(group, "applies_to"):
            continue
        if files and all(MEASURES[name].applies_to == group.applies_to for name in names):
            data, left_out = group.measured(files, reading)
            return data, reading_json(left_out), {}
        group.refuse()
    linked = any(MEASURES[name].applies_to == "links" for name in names)
    loaded = load(files, reading, features, links=linked)
    return loaded.continua, loaded.json, loaded.files


def chosen_measures(given: list[str] | None) -> list[str]:
    """Return the measures named by `-m A,B -m C`; `all` means every measure of a continuum."""
    from gammacp.measures.registry import MEASURES, PAPER_MEASURES, expand_names

    names = list(split_names(given or PAPER_MEASURES))
    if not names:
        raise UsageError("no measure is named; gammacp measures lists them")
    chosen = expand_names(names)
    for name in chosen:
        if name not in MEASURES:
            try:
                _ = MEASURES[name]
            except UsageError as error:
                raise UsageError(f"{error}; gammacp measures lists all") from None
    return chosen


def _print(together: Together, seed: int) -> None:
    from gammacp.measures.score_tables import corpus_table, document_table, measure_table

    if not any(map(_has_value, together.each)):
        return
    several = len(together.documents) > 1
    if not several or not together.by:
        tables = {file: measure_table(scores) for file, scores in together.documents.items()}
        tables |= {file: corpus_table(scores) for file, scores in together.parts.items()}
        for file, table in tables.items():
            if _has_value(together.parts.get(file, together.documents[file])):
                show(table, title=file if several else "")
    if several and "document" in together.by:
        whole: Mapping[str, Mapping[str, Any]] = together.parts or together.documents
        for name in next(iter(whole.values())):
            rows = {file: scores[name] for file, scores in whole.items()}
            show(document_table(rows), title=name)
    if together.corpus is not None:
        show(corpus_table(together.corpus), title="corpus")
    messages(_sentences(together))
    message(f"seed {seed}")


def _sentences(together: Together) -> Iterator[tuple[str, str]]:
    """Yield remarks on the values, each with the document that it concerns."""
    whole = {**together.documents}
    if together.corpus is not None:
        whole["corpus"] = together.corpus  # type: ignore[assignment]
    for file, scores in whole.items():
        divided: Mapping[str, Any] = scores
        if len(whole) == 1:
            divided = together.parts.get(file, scores)
        remarks = (
            remark
            for name, score in scores.items()
            for remark in _remarks_on_rows(name, score, divided.get(name, score))
        )
        for what, names in group_by_text(remarks, max(len(scores), 5)):
            yield f"{names}{what}", file


def _remarks_on_rows(name: str, score: Any, divided: Any) -> Iterator[tuple[str, str]]:
    """Yield remarks on a value, and further ones on its categories and pairs.

    Each remark comes with the name of its row.
    """
    whole_remarks = [*dict.fromkeys([*_remarks(score), *_remarks(divided)])]
    yield from ((what, name) for what in whole_remarks)
    parts = {f"{name}[{key}]": part for key, part in divided.by_category.items()}
    parts |= {f"{name} ({key})": part for key, part in getattr(divided, "by_pair", {}).items()}
    for row, part in parts.items():
        # In the score of a document, categories have plain numbers without remarks.
        if isinstance(part, float):
            continue
        row_remarks: list[str] = [*_remarks(part)]
        if part.of > 1:
            # Further remarks on categories are only in JSON: most documents lack most categories.
            row_remarks = row_remarks[: 1 if part.reason else 0]
        yield from ((what, row) for what in row_remarks if what not in whole_remarks)


def _remarks(score: Any) -> Iterator[str]:
    """Return the remarks on a value, to be printed after the measure's name."""
    if score.reason:
        yield f": {score.reason}"
    for note in score.notes:
        yield f": {note}"
    beyond = score.beyond_chance
    if beyond and beyond.reason and beyond.reason != score.reason:
        yield f" beyond chance: {beyond.reason}"


def _check(scores: Mapping[str, Mapping[str, Score]]) -> None:
    """Raise a DataError (exit code 3) if no value is defined."""
    from gammacp.errors import DataError

    if any(map(_has_value, scores.values())):
        return
    why = [
        (f"{names}: {reason}", file)
        for file, document_scores in scores.items()
        for reason, names in group_by_text(
            ((str(score.reason), name) for name, score in document_scores.items()),
            len(document_scores),
        )
    ]
    if len(scores) > 1:
        raise DataError(f"no measure has a value: {in_short(why)}")
    raise DataError(f"no measure has a value: {'; '.join(dict(why))}", file=next(iter(scores)))


def _has_value(record: Mapping[str, Any]) -> bool:
    return any(score.defined or score.by_category for score in record.values())
