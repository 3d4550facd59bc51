"""`python -m gammacp` is the command line."""

import sys
from pathlib import Path

# `python -m` looks for modules in the working directory first, which may be a stranger's folder.
# A checkout is where `shuffling` is found, too.
_CHECKOUT = Path(__file__).resolve().parents[1]
if not sys.flags.safe_path and Path(sys.path[0]).resolve() == Path.cwd() != _CHECKOUT:
    del sys.path[0]

from gammacp.cli import main  # noqa: E402

main()
