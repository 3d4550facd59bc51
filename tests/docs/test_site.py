"""The documentation site: built without warnings, and loading nothing from outside."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A browser fetches these attributes by itself; links that a reader may follow are not among them.
_LOADS = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "input": ("src",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
    "link": ("href",),
    "base": ("href",),
    "form": ("action",),
}
_OUTSIDE = re.compile(
    r"^\s*([a-z][a-z0-9+.-]*:)?//(?!www\.w3\.org/)", re.IGNORECASE
)  # the name of a namespace, not an address
_IN_STYLES = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
_IN_SCRIPTS = re.compile(r"['\"`]((?:https?:|wss?:)?//[\w.-]+\.[a-z]{2,}[^'\"`]*)")


class _Loaded(HTMLParser):
    """Collector of the addresses that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._within = tag
        for name, value in attrs:
            if name in _LOADS.get(tag, ()):
                parts = (value or "").split(",") if name == "srcset" else [value or ""]
                self.found += [part.split()[0] for part in parts if part.strip()]
            elif name == "style":
                self.found += in_styles(value or "")

    def handle_data(self, data: str) -> None:
        if self._within == "style":
            self.found += in_styles(data)
        elif self._within == "script":
            self.found += _IN_SCRIPTS.findall(data)


def in_styles(text: str) -> list[str]:
    return [first or second for first, second in _IN_STYLES.findall(text)]


def loaded(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file of a site with each address that it loads."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".html", ".css", ".js", ".svg"):
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".css":
            found = in_styles(text)
        elif path.suffix == ".js":
            found = _IN_SCRIPTS.findall(text)
        else:
            page = _Loaded()
            page.feed(text)
            found = page.found
        yield from ((path, address) for address in found)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    # Garbage collection would take a fifth of the time.
    build = "import gc, sys; gc.disable(); from sphinx.cmd.build import main; sys.exit(main())"
    command = [sys.executable, "-c", build, "-W", "--keep-going", "-q", "-E", "-c", "docs", "."]
    # A contents list on every page, without single functions, saves a quarter of the time.
    command += ["-D", "toc_object_entries=0", "-D", "smartquotes=0"]
    built = subprocess.run(
        [*command, "-d", str(folder / "doctrees"), str(folder / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder / "html"


@pytest.mark.slow
def test_the_site_loads_nothing_from_outside(site: Path) -> None:
    everything = list(loaded(site))
    assert len(everything) > 200
    assert [(path.name, address) for path, address in everything if _OUTSIDE.match(address)] == []


@pytest.mark.slow
def test_every_command_format_and_public_name_is_on_the_site(site: Path) -> None:
    commands = (site / "docs" / "commands.html").read_text(encoding="utf-8")
    assert all(f'id="gammacp-{name}"' in commands for name in ("gamma", "bench-merge", "cite"))
    formats = (site / "docs" / "every-format.html").read_text(encoding="utf-8")
    assert all(f'id="{name}"' in formats for name in ("csv", "cas", "label-studio"))
    names = (site / "docs" / "api" / "gammacp.html").read_text(encoding="utf-8")
    import gammacp

    missing = [n for n in gammacp.__all__ if f'id="gammacp.{n}"' not in names]
    assert missing == ["__version__"]


@pytest.mark.parametrize(
    "page",
    [
        '<link rel="stylesheet" href="https://fonts.example.org/css">',
        '<script src="//cdn.example.org/x.js"></script>',
        '<img srcset="a.png 1x, https://example.org/b.png 2x">',
        "<style>@font-face { src: url('https://example.org/f.woff2') }</style>",
        '<p style="background: url(//example.org/x.png)">',
        "<script>fetch('https://example.org/data')</script>",
    ],
)
def test_loaded_addresses_are_found(page: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    assert any(_OUTSIDE.match(address) for _, address in loaded(tmp_path))
