"""`gammacp reproduce`: run experiments and hold them against what is claimed of them."""

from pathlib import Path

from gammacp.cli.options.groups import argument, option
from gammacp.cli.output import AsJson


def reproduce(
    names: list[str] | None = argument("Experiments, or `all`.", "NAME"),
    check: bool = option("Run nothing; check the claims on existing results.", default=False),
    mutants: bool = option(
        "Run nothing; change what each claim reads, and list claims that cannot fail.",
        default=False,
    ),
    new: str | None = option("Write a new experiment of this name, and its claims, to change."),
    quick: bool = option("Run coarse versions, into results-quick.", default=False),
    failed: bool = option("Print only the claims that fail.", default=False),
    paper: str | None = option("Use only the ledger of this name, such as 2015 or findings."),
    data: Path | None = option("Folder of the corpora that do not ship."),
    results: Path | None = option("Where results go.  [default: results]"),
    experiments: Path = option(
        "Folder of the experiments; its name is how they import each other.",
        default=Path("experiments"),
    ),
    json: AsJson = False,
) -> None:
    """Run experiments and check what is claimed of them.

    Without a name it lists them. Those of gammacp's papers are in its checkout.

    Example: gammacp reproduce mathet2015_fig24 --quick

    Most used: --quick, --check and --results.
    """
    from gammacp.bench.ledger import command
    from gammacp.errors import UsageError

    if check and mutants:
        raise UsageError("--check and --mutants are two questions: ask one at a time")
    if new is not None:
        if names or check or mutants:
            raise UsageError("--new writes an experiment and runs nothing: leave the others out")
        command.start(new, experiments)
        return
    options = command.ReproduceOptions(
        experiments=experiments,
        results=results,
        data=data,
        paper=paper,
        check=check,
        quick=quick,
        mutants=mutants,
        failed=failed,
        json=json,
    )
    command.reproduce(names or (), options)
