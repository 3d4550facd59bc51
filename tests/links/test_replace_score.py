"""The command `replace` with scores of links: pairs by hand, and a candidate with wrong links."""

import json

import numpy as np
import pytest

import gammacp as gc
from gammacp.campaign.replace import SCORES, replace
from gammacp.campaign.replace.scores import Aligning
from gammacp.continuum import Continuum, Corpus, Link, Unit
from gammacp.errors import DataError

PEOPLE = ("Ann", "Bea", "Cid")


def _document(links: dict[str, list[str]], units: int = 6, kind: str = "directed") -> Continuum:
    """Return a document with the same units by everybody, and links given as "type source
    target".
    """
    marked = [Unit(a, 20 * k, 20 * k + 10, "m", id=str(k)) for a in links for k in range(units)]
    made = [Link(a, *text.split(), kind) for a, texts in links.items() for text in texts]
    return Continuum.from_units(marked, links=made)


def _pairs(c: Continuum) -> list[float]:
    [found] = SCORES["links"].instances({"d": c}, Aligning())
    assert (found.pairs == found.pairs.T).all()
    return [float(found.pairs[i, j]) for i, j in ((0, 1), (0, 2), (1, 2))]


def test_links_by_hand() -> None:
    """By hand, a type costs 1, Max's missing 3 → 1 costs Δ = 1, and one moved end of 5 → 4
    costs ½.
    """
    argue = _document(
        {
            "Ann": ["supports 2 1", "supports 3 1", "supports 5 4"],
            "Bob": ["supports 2 1", "attacks 3 1", "supports 5 4"],
            "Max": ["supports 2 1", "supports 3 4"],
        }
    )
    assert _pairs(argue) == pytest.approx([-1 / 3, -1.5 / 2.5, -1.5 / 2.5])


def test_chains_by_hand() -> None:
    """By hand for {0 1 2} and {0 1} {2}: mentions share ½, ½, 0 and 1, 1, 0 of their mates."""
    chains = {"Ann": ["c 0 1", "c 1 2"], "Bob": ["c 0 1"], "Max": ["c 0 1"]}
    assert _pairs(_document(chains, 3, "chain")) == pytest.approx([-0.5, -0.5, 0])


def _panel(wrong: bool, chains: bool = False) -> dict[str, Continuum]:
    """Return documents by people who err on a fifth of the links.

    The bot has the truth, or random links.
    """
    rng, found = np.random.default_rng(5), {}
    for d in range(30):
        truth = [f"r {k} {rng.integers(k)}" for k in range(1, 6)]
        links = {
            a: [
                f"r {k} {rng.integers(k)}" if rng.random() < 0.2 else t
                for k, t in enumerate(truth, 1)
            ]
            for a in PEOPLE
        }
        links["bot"] = [f"r {k} {rng.integers(6, 12)}" for k in range(1, 6)] if wrong else truth
        found[f"d{d}"] = _document(links, 12, "chain" if chains else "directed")
    return found


@pytest.mark.parametrize(
    ("wrong", "chains"),
    [
        (False, False),
        pytest.param(False, True, marks=pytest.mark.slow),
        pytest.param(True, False, marks=pytest.mark.slow),
        (True, True),
    ],
)
def test_a_candidate_is_compared_by_its_links(wrong: bool, chains: bool) -> None:
    documents = _panel(wrong, chains)
    by_links = replace(documents, ["bot"], score="links", draws=20).candidates[0]
    assert by_links.passes is not wrong
    # All units are the same, but a candidate with links of its own is no copy.
    assert not [n for n in by_links.notes if "exactly the units" in n]
    by_units = replace(documents, ["bot"], draws=20).candidates[0]
    beside = {b.score: b.passes for b in by_units.by_score}
    assert by_units.passes is True
    assert beside == {"soft-f1": True, "overlap": True, "links": not wrong}


def test_data_without_links_have_no_score_of_links() -> None:
    documents = {f"d{k}": _document({a: [] for a in (*PEOPLE, "bot")}) for k in range(3)}
    assert {b.score for b in replace(documents, ["bot"], draws=5).candidates[0].by_score} == {
        "soft-f1",
        "overlap",
    }
    with pytest.raises(DataError, match="no links"):
        replace(documents, ["bot"], score="links")


def test_command(tmp_path, run) -> None:  # type: ignore[no-untyped-def]
    gc.write(Corpus.from_continua(_panel(True)), tmp_path / "corpus.json")
    told = run("replace", tmp_path / "corpus.json", "--candidate", "bot", "--json")
    assert told.code == 0, told.err
    made = json.loads(told.out)
    assert made["candidates"]["bot"]["by_score"]["links"]["passes"] is False
    assert not made["left_out"]
