"""The site: `sphinx-build -W --keep-going -c docs . build/site`, from the root of the checkout.

The root is the source, so that a link between README, docs and results is the same for a reader
of the files and of the site.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent / "_ext"), str(Path(__file__).parent.parent)]

from gammacp import __version__  # noqa: E402

project = "gammacp"
author = copyright = "The gammacp developers"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "api_reference",
    "command_reference",
    "format_reference",
    "notebook_pages",
]
root_doc = "docs/index"
include_patterns = ["README.md", "CHANGELOG.md", "docs/**", "results/*.md"]
exclude_patterns = [".*", "*.egg-info", "build", "dist", "gammacp", "shuffling", "tests"]

# Links to headings, as files on a code host have them.
myst_heading_anchors = 3
# The same name in several packages: links from the text go to one of them.
suppress_warnings = ["ref.python"]

default_role = "code"
autodoc_typehints = "none"  # the signature has them, the text says what they mean
autodoc_use_type_comments = False  # there are none, and looking for them takes time
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"gammacp {release}"
# The site's front is the list of pages.
templates_path = ["_templates"]
html_additional_pages = {"index": "front.html"}
html_copy_source = False
html_show_sphinx = False
