"""Damaged and hostile files: a DataError or a sound continuum, never a traceback or a hang.

The boundary around readers and sniffers is switched off here, so that failures of readers are seen.
`pytest -m slow tests/tools/test_mutations.py` reads twenty thousand files.
"""

from pathlib import Path

import pytest

from gammacp.formats import FORMATS, collect
from tests.fuzzing import Fuzzing, Seed
from tests.limits import TooLongError, at_most
from tests.tools.seeds import SEEDS, seeded
from tests.tools.test_real_files import DATA

# These formats have a marked end, so that a truncated file cannot look complete.
CLOSED = [
    "argilla",
    "bioc",
    "chat",
    "excel",
    "exmaralda",
    "potato state",
    "pubannotation",
    "boris",
    "catma",
    "catma-tei",
    "jams",
    "refi-qda",
    "rs3",
    "cas json",
    "cas xmi",
    "elan",
    "glozz",
    "json",
    "label-studio",
    "segeval",
    "textgrid",
    "web-annotation",
    "zip",
]


# Damaged files of each seed in the default tests; each of the ways to damage a file occurs once.
BY_DAY = 17


@pytest.fixture(scope="module")
def fuzzing(tmp_path_factory: pytest.TempPathFactory) -> Fuzzing:
    return Fuzzing(seeded(tmp_path_factory.mktemp("mutations") / "formats"), SEEDS)


@pytest.mark.parametrize("target", SEEDS)
def test_damaged_files(fuzzing: Fuzzing, target: str) -> None:
    for number in range(BY_DAY):
        fuzzing.attempt(target, number)


@pytest.mark.slow
@pytest.mark.parametrize("target", SEEDS)
def test_many_more_damaged_files(fuzzing: Fuzzing, target: str) -> None:
    for number in range(BY_DAY, 660):
        fuzzing.attempt(target, number)


@pytest.mark.slow
def test_damaged_real_files(tmp_path: Path) -> None:
    if not (DATA / "formats").is_dir():
        pytest.skip(f"no data in {DATA}: set GAMMACP_DATA")
    names = [f.relative_to(DATA / "formats").as_posix() for f in (DATA / "formats").rglob("*.*")]
    for kind in ("brat", "glozz", "webanno"):
        (tmp_path / kind).mkdir()
    ours = [n for n in names if n.endswith((".ann", ".aa", ".tsv"))][:40]
    for name in ours:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        for file in (DATA / "formats" / name).parent.glob(f"{Path(name).stem}.*"):
            (tmp_path / name).with_name(file.name).write_bytes(file.read_bytes())
    fuzzing = Fuzzing(tmp_path, {name: Seed(name, name) for name in ours})
    for name in ours:
        for number in range(45):
            fuzzing.attempt(name, number)


@pytest.mark.parametrize("target", CLOSED)
def test_a_truncated_file_never_looks_complete(fuzzing: Fuzzing, target: str) -> None:
    what, file = (fuzzing.folder / x for x in (SEEDS[target].what, SEEDS[target].file))
    whole = file.read_bytes()
    step = max(1, len(whole) // 40)
    try:
        for length in range(0, len(whole.rstrip()), step):
            file.write_bytes(whole[:length])
            found = collect([what])
            assert not found.continua, f"{length} of {len(whole)} bytes were read"
            assert found.failures
    finally:
        file.write_bytes(whole)


def test_seeds_cover_every_format(fuzzing: Fuzzing) -> None:
    with_another_library = {"spacy"}
    assert {t.split()[0] for t in SEEDS} - {"zip"} == set(FORMATS) - with_another_library
    assert set(fuzzing.seeds) >= SEEDS.keys() - {"review-list"}
    for name, seed in fuzzing.seeds.items():
        found = collect([fuzzing.folder / seed.what])
        assert found.continua, name
        assert not found.failures, name


def test_endless_code_is_stopped() -> None:
    with pytest.raises(TooLongError), at_most(0.05):
        while True:
            pass
