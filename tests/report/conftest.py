"""A real browser for the report; without one the tests skip and say so."""

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Debian's Chromium, or the one that GAMMACP_BROWSER names."""
    path = os.environ.get("GAMMACP_BROWSER") or shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium: install it, or name a browser in GAMMACP_BROWSER")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()
