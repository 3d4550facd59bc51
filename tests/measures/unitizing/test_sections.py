import numpy as np
import pytest

from gammacp import Continuum, Unit
from gammacp.measures.unitizing import sections as module
from gammacp.measures.unitizing.krippendorff import cu_alpha, u_alpha
from gammacp.measures.unitizing.sections import GAP, intersections, sections_of, units_of
from tests.measures import oracles


def test_every_annotator_tiles_the_bounds() -> None:
    rng = np.random.default_rng(1)
    for case in range(100):
        c = oracles.disjoint(rng, annotators=1 + case % 3)
        tiling = sections_of(c)
        found = [
            [
                (s, e, tiling.names[k])
                for s, e, k in zip(
                    tiling.starts[rows], tiling.ends[rows], tiling.labels[rows], strict=True
                )
            ]
            for rows in (tiling.annotators == a for a in range(c.n_annotators))
        ]
        assert found == oracles.sections(c)
        assert tiling.label_lengths().sum(axis=1).tolist() == [c.length] * c.n_annotators


def test_touching_and_point_units_make_no_gap() -> None:
    c = Continuum.from_units(
        [Unit("A", 2, 4, "a"), Unit("A", 4, 6, "a"), Unit("A", 8, 8, "a")], bounds=(0, 9)
    )
    tiling = sections_of(c)
    assert tiling.starts.tolist() == [0, 2, 4, 6]
    assert [tiling.names[k] for k in tiling.labels] == [GAP, "a", "a", GAP]


@pytest.mark.parametrize("block", [1, 3, 50])
def test_the_size_of_blocks_changes_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    for draw, part, value in (
        (oracles.disjoint, sections_of, u_alpha),
        (oracles.overlapping, units_of, cu_alpha),
    ):
        c = draw(rng, annotators=3, units=8, length=40)
        whole = {(int(i), int(j)) for x in intersections(part(c)) for i, j in pairs(x)}
        score = value(c).value
        with monkeypatch.context() as patch:
            patch.setattr(module, "_BLOCK", block)
            blocks = list(intersections(part(c)))
            assert value(c).value == pytest.approx(score, nan_ok=True)
        assert len(blocks) > 1 or block == 50
        assert {(int(i), int(j)) for x in blocks for i, j in pairs(x)} == whole
        assert sum(len(x.first) for x in blocks) == len(whole)


def pairs(met: module.Intersections) -> list[tuple[int, int]]:
    return list(zip(met.first.tolist(), met.second.tolist(), strict=True))
