"""`gammacp reproduce`: run the papers' experiments and hold them against what the papers claim."""

from pathlib import Path

from gammacp.cli.options.groups import argument, option
from gammacp.cli.output import AsJson


def reproduce(
    names: list[str] | None = argument("Experiments, or `all`.", "[NAME]..."),
    check: bool = option("Run nothing; check the claims on existing results.", default=False),
    quick: bool = option("Run coarse versions, into results-quick.", default=False),
    failed: bool = option("Print only the claims that fail.", default=False),
    paper: str | None = option("Use only the ledger of this name, such as 2015 or findings."),
    data: Path | None = option("Folder of the corpora that do not ship."),
    results: Path | None = option("Where results go.  [default: results]"),
    experiments: Path = option(
        "Folder of the experiments (from a checkout).", default=Path("experiments")
    ),
    json: AsJson = False,
) -> None:
    """Run the papers' experiments and check what the papers claim.

    Without a name it lists them.

    Example: gammacp reproduce mathet2015_fig24 --quick

    Most used: --quick, --check and --results.
    """
    import sys

    from gammacp.errors import UsageError
    from gammacp.plugins import load_package

    # The experiments and their ledger come with a checkout, not with the installed package.
    if not (experiments / "ledger").is_dir():
        raise UsageError(
            f"{experiments} is not the folder of the experiments: gammacp reproduce works in a "
            "checkout of gammacp. Go there, or give --experiments DIR"
        )
    # They import each other by this name. What lies beside the folder is nobody's module.
    if "experiments" not in sys.modules:
        load_package(experiments, "experiments")
    from experiments.ledger import command

    command.reproduce(
        names or (),
        check=check,
        quick=quick,
        failed=failed,
        paper=paper,
        data=data,
        results=results,
        experiments=experiments,
        json=json,
    )
