"""A new experiment with its claims, to be changed: `gammacp reproduce --new NAME`."""

from pathlib import Path

from gammacp.base.files import write_text
from gammacp.bench.ledger.running import package_name
from gammacp.errors import UsageError

EXPERIMENT = '''"""γ falls as annotators move units further away from where they belong.

`gammacp reproduce` lists experiments by the first line of this text.
"""

import csv
from pathlib import Path

import gammacp as gc
from shuffling import ReferenceModel, reference_set, shuffle

MAGNITUDES = (0.0, 0.2, 0.4, 0.6, 0.8)
SETS = 12


def gamma_of_set(index: int, magnitude: float) -> float:
    """Return γ of three simulated annotators of one text, who make errors of this magnitude."""
    reference = reference_set(ReferenceModel(), seed=index)
    annotated = shuffle(reference, "position", magnitude, n_annotators=3, seed=index)
    return gc.gamma(annotated, seed=index).value


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write `curve.csv`: a row per magnitude with the mean γ, and γ of each set in `values`.

    Parameters
    ----------
    out
        An empty folder for what is written.
    quick
        Run a coarse version, in seconds.
    data
        The folder of data, if one was named.
    """
    sets = SETS
    if quick:
        sets = 4
    with (out / "curve.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["measure", "magnitude", "mean", "values"])
        for magnitude in MAGNITUDES:
            values = [gamma_of_set(index, magnitude) for index in range(sets)]
            mean = sum(values) / sets
            writer.writerow(["gamma", magnitude, mean, " ".join(map(repr, values))])
'''

CLAIMS = """# Sentences about {name}. Write them before the experiment runs: the hash of these
# claims is kept beside the results, and a claim that is changed afterwards is told.
title = "{name}"

[[claim]]
words = "γ decreases strictly as the magnitude grows"
place = "{name}"
kind = "sweep"
csv = "{name}/curve.csv"
check = "decreasing"
where = {{ measure = "gamma" }}

[[claim]]
words = "γ is 1 where annotators make no errors"
place = "{name}"
kind = "sweep"
csv = "{name}/curve.csv"
check = "equals"
where = {{ measure = "gamma" }}
within = [0, 0]
value = 1
"""


def begin(name: str, folder: Path) -> tuple[Path, Path]:
    """Write a new experiment and its claims, and return their files.

    Parameters
    ----------
    name
        Name of the experiment: letters, digits and _; it must not begin with _.
    folder
        Folder of the experiments; made if it is not there.

    Raises
    ------
    UsageError
        The name, or that of the folder, cannot be a module's, or there is such a file already.
    """
    if not name.isidentifier() or name.startswith("_"):
        raise UsageError(
            f"{name!r} cannot be the name of an experiment: use letters, digits and _, and begin "
            "with a letter"
        )
    package_name(folder)
    experiment = folder / f"{name}.py"
    claims = folder / "claims" / f"{name}.toml"
    for path in (experiment, claims):
        if path.exists():
            raise UsageError(f"{path} is there already; choose another name")
    claims.parent.mkdir(parents=True, exist_ok=True)
    write_text(experiment, EXPERIMENT)
    write_text(claims, CLAIMS.format(name=name))
    return experiment, claims
