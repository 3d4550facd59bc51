"""Values of other packages, in an environment of their own: python THIS FILE < CASES > VALUES.

CASES is a JSON list of `{"peer": NAME, …}`; VALUES are as many lists of numbers. `corpus_peers.py`
runs it.
"""

import json
import math
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path


def seqeval(case):
    from seqeval.metrics import classification_report
    from seqeval.scheme import IOB2

    report = classification_report(
        case["gold"], case["system"], output_dict=True, mode="strict", scheme=IOB2, zero_division=0
    )
    rows = [report["micro avg"], *(report[k] for k in case["labels"] if k in report)]
    return [row[key] for row in rows for key in ("precision", "recall", "f1-score")]


def nervaluate(case):
    from nervaluate.evaluator import Evaluator

    evaluation = Evaluator(
        case["gold"], case["system"], tags=case["labels"], loader="dict"
    ).evaluate()
    overall = evaluation["overall"]
    return [
        getattr(overall[kind], key)
        for kind in ("strict", "exact", "partial")
        for key in ("precision", "recall", "f1")
    ]


def krippendorff(case):
    import krippendorff as peer

    table = [[math.nan if x is None else x for x in row] for row in case["table"]]
    levels = case.get("levels", ("nominal", "interval"))
    return [peer.alpha(reliability_data=table, level_of_measurement=level) for level in levels]


def irr_cac(case):
    import pandas as pd
    from irrCAC.raw import CAC

    table = CAC(pd.DataFrame(case["table"]).T, digits=12)
    coefficients = {"fleiss": table.fleiss, "gwet": table.gwet, "conger": table.conger}
    return [coefficients[name]()["est"]["coefficient_value"] for name in case["of"]]


def conll(case):
    values = []
    with tempfile.TemporaryDirectory() as folder:
        names = [Path(folder, side) for side in ("key", "response")]
        for name, side in zip(names, ("key", "response"), strict=True):
            name.write_text(case[side], encoding="utf-8")
        for metric in ("muc", "bcub", "ceafe"):
            run = subprocess.run(
                ["perl", case["scorer"], metric, *map(str, names), "none"],
                capture_output=True,
                text=True,
                check=True,
            )
            line = [x for x in run.stdout.splitlines() if x.startswith("Coreference:")][-1]
            parts = line.replace("(", " ").replace(")", " ").replace("/", " ").split()
            a, b, c, d = (float(parts[i]) for i in (2, 3, 6, 7))
            recall, precision = a / b if b else 0.0, c / d if d else 0.0
            total = recall + precision
            values += [recall, precision, 2 * recall * precision / total if total else 0.0]
    return [*values, (values[2] + values[5] + values[8]) / 3]


def pyannote(case):
    from pyannote.core import Annotation, Segment
    from pyannote.metrics.diarization import DiarizationErrorRate

    sides = []
    for name in ("reference", "system"):
        side = Annotation()
        for track, (start, end, label) in enumerate(case[name]):
            side[Segment(start, end), track] = label
        sides.append(side)
    return [DiarizationErrorRate()(*sides, detailed=True)["correct"]]


PEERS = {
    "seqeval": seqeval,
    "nervaluate": nervaluate,
    "krippendorff": krippendorff,
    "irrCAC": irr_cac,
    "conll": conll,
    "pyannote": pyannote,
}


def main() -> None:
    warnings.simplefilter("ignore")
    cases = json.load(sys.stdin)
    json.dump([PEERS[case["peer"]](case) for case in cases], sys.stdout)


if __name__ == "__main__":
    main()
