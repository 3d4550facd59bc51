"""Values ω and ρ of the notebook of nitaytech/AltTest, on its own data.

The data have no licence and are not shipped: GAMMACP_ALTTEST names a checkout of the repository.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from gammacp.campaign.replace import replace
from gammacp.continuum import Continuum

CHECKOUT = Path(os.environ.get("GAMMACP_ALTTEST", ""))
EPSILON = {
    "wax": 0.1,
    "lgbteen": 0.2,
    "mtbench": 0.2,
    "framing": 0.15,
    "cebab_aspects": 0.1,
    "summeval": 0.2,
    "10k_prompts": 0.15,
    "cebab_stars": 0.1,
    "lesion": 0.15,
}
NUMBERS = ("summeval", "10k_prompts", "cebab_stars", "lesion")
SMALL = ("mtbench", "wax")

pytestmark = pytest.mark.skipif(
    not (CHECKOUT / "alt_test_example.ipynb").is_file(),
    reason="GAMMACP_ALTTEST is no checkout of nitaytech/AltTest",
)


def printed(name: str) -> dict[str, tuple[str, str]]:
    notebook = json.loads((CHECKOUT / "alt_test_example.ipynb").read_text(encoding="utf-8"))
    texts = (o.get("text", []) for cell in notebook["cells"] for o in cell.get("outputs", []))
    line = rf"^{name} (\S+) \[\w+\]:\tWinning Rate=(\S+)\tAdvantage Probability=(\S+)"
    matches = re.findall(line, "".join(t for text in texts for t in text), re.MULTILINE)
    return {system: (omega, rho) for system, omega, rho in matches}


@pytest.mark.parametrize(
    "name", [n if n in SMALL else pytest.param(n, marks=pytest.mark.slow) for n in EPSILON]
)
def test_values_of_the_notebook(name: str) -> None:
    folder, wanted = CHECKOUT / "data" / name, printed(name)
    people, systems = (
        json.loads((folder / f"{who}_annotations.json").read_text(encoding="utf-8"))
        for who in ("human", "llm")
    )
    place = {i: k for k, i in enumerate(dict.fromkeys(i for a in people.values() for i in a))}
    rows = [
        (f"{kind} {who}", str(label), float(place[i]))
        for kind, all_of in (("person", people), ("system", systems))
        for who, labels in all_of.items()
        for i, label in labels.items()
        if i in place
    ]
    who, label, starts = zip(*rows, strict=True)
    continuum = Continuum.from_columns(who, label, starts, [s + 1 for s in starts])
    replacement = replace(
        continuum,
        [f"system {s}" for s in systems],
        score="neg-rmse" if name in NUMBERS else "accuracy",
        epsilon=EPSILON[name],
    )
    assert wanted == {
        c.name.removeprefix("system "): (
            f"{c.winning_rate:.2f}",
            f"{c.advantage_probability:.2f}",
        )
        for c in replacement.candidates
    }
    assert wanted
