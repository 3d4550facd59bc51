"""Whoever listens is told objective and bound while a crowd is aligned."""

from __future__ import annotations

from gammacp.alignment import align
from gammacp.alignment.reporting import listening, tell
from gammacp.cli.progress import Counter
from tests.alignment.crowds import crowd


def test_a_crowds_progress_is_told_and_never_contradicts_itself():
    told: list[tuple[float, float]] = []
    with listening(lambda objective, bound: told.append((objective, bound))):
        align(crowd(4, 30, 60, 4), gap=0.3)
    assert told
    assert all(bound <= objective + 1e-6 for objective, bound in told)
    assert [o for o, _ in told] == sorted((o for o, _ in told), reverse=True)


def test_nobody_need_listen():
    tell(1.0, 0.5)


def test_a_log_gets_a_line_after_half_a_minute(capsys):
    counter = Counter("random sets")
    counter.tell_bounds(2.0, 1.0)
    assert capsys.readouterr().err == ""
    counter.began -= 40
    counter.printed -= 40
    counter.tell_bounds(2.0, 1.9)
    assert "gap 5.00%" in capsys.readouterr().err
