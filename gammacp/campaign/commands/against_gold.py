"""One system against one gold standard: precision, recall and F₁ instead of tables of people."""

from collections.abc import Mapping, Sequence

from gammacp.cli.options.loading import Loaded
from gammacp.cli.options.settings import Thresholds
from gammacp.cli.output import messages, print_json, show
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import UsageError

MEASURES = ("f1-strict", "f1-exact", "f1-overlap")
_UNLABELLED = MEASURES[1:]


def is_against_gold(continua: Mapping[str, Continuum], reference: str | None) -> bool:
    """Return whether a reference is compared with a single other annotator.

    Parameters
    ----------
    continua
        Continua that are compared.
    reference
        The gold standard; None where there is none.
    """
    people = {a for c in continua.values() for a in c.annotators}
    return reference in people and len(people) == 2


def tell_against_gold(
    loaded: Loaded, reference: str, tables: Sequence[str], thresholds: Thresholds, *, json: bool
) -> None:
    """Print precision, recall and F₁ in all and per category, as `gammacp measure` does.

    Parameters
    ----------
    loaded
        The documents.
    reference
        The gold standard.
    tables
        Tables that were asked for: "category" adds a row per category.
    thresholds
        Thresholds of γ, which are refused here.
    json
        Whether JSON is printed.
    """
    from gammacp.measures.measuring import measure
    from gammacp.measures.score_tables import corpus_table

    if thresholds.is_set:
        raise UsageError(
            "--fail-under of a comparison is about γ of several annotators; for one system use "
            "gammacp measure --reference NAME -m f1-strict --fail-under X"
        )
    corpus = Corpus.from_continua(loaded.continua)
    labelled = all((c.category_codes >= 0).all() for c in corpus.values())
    names = MEASURES if labelled else _UNLABELLED
    if "category" in tables:
        by = ["category"]
    else:
        by = []
    scores_by_measure = measure(corpus, names, by=by, reference=reference)
    if json:
        scores = {name: score.as_dict() for name, score in scores_by_measure.items()}
        print_json({"reference": {"name": reference, "measures": scores}, **loaded.json})
        return
    show(corpus_table(scores_by_measure), title=f"compared with {reference}")
    messages((note, name) for name, score in scores_by_measure.items() for note in score.notes)
