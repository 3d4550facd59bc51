"""A studio that is killed at any moment, which loses no decision it has acknowledged."""

import random
import threading
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from gammacp.continuum import Continuum, Unit
from gammacp.formats import write
from gammacp.studio.journal import Journal
from tests.studio.conftest import Running

UNITS = [
    Unit(a, 10 * i, 10 * i + 5 + (a == "Bob"), "x" if i % 3 or a != "Bob" else "y")
    for i in range(8) for a in ("Ann", "Bob", "Cid") if i % 4 or a != "Cid"
]  # fmt: skip


def decide(studio: Running, name: str, items: list[dict[str, str]], said: list[str]) -> None:
    """Decide until the studio no longer answers."""
    origin = "/".join(studio.address.split("/")[:3])
    with httpx.Client(base_url=studio.address, headers={"origin": origin}) as client:
        for i in range(10**6):
            asked = {
                "request": f"{name}-{i}", "reviewer": name, "action": "drop",
                **items[i % len(items)],
            }  # fmt: skip
            try:
                answer = client.post("decisions", json=asked)
            except httpx.TransportError:
                return
            assert answer.status_code == 200, answer.text
            said.append(answer.json()["decision"]["request"])


def check_kills(starting: Callable[..., Running], folder: Path, kills: int) -> None:
    from gammacp import align
    from gammacp.campaign.consensus import consensus
    from gammacp.studio.review import queue

    c = Continuum.from_units(UNITS, name="d")
    write(c, folder / "d.json")
    gold_standards = {"d": consensus(align(c))}
    chance, acknowledged = random.Random(1), list[str]()
    for kill in range(kills):
        studio = starting(folder, "--samples", "5")
        studio.wait("done")
        items = [{"document": "d.json", "item": item["key"]} for item in queue(gold_standards)]
        threads = [
            threading.Thread(target=decide, args=(studio, f"{who}{kill}", items, acknowledged))
            for who in ("Rae", "Sam")
        ]
        before = len(acknowledged)
        for thread in threads:
            thread.start()
        while len(acknowledged) == before and any(t.is_alive() for t in threads):
            threading.Event().wait(0.01)
        threading.Event().wait(chance.uniform(0, 0.2))
        studio.process.kill()
        for thread in threads:
            thread.join()
        assert len(acknowledged) > before
        journal = Journal(folder)
        requests = [row.request for row in journal.rows()]
        journal.close()
        assert set(acknowledged) <= set(requests)
        assert len(requests) == len(set(requests))


@pytest.mark.slow
def test_killed_once(starting: Callable[..., Running], tmp_path: Path) -> None:
    check_kills(starting, tmp_path, 1)


@pytest.mark.slow
def test_killed_fifty_times(starting: Callable[..., Running], tmp_path: Path) -> None:
    check_kills(starting, tmp_path, 50)
