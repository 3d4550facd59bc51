"""`gammacp init`: a campaign.toml from what an export holds."""

from pathlib import Path

from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import reading_json, requested_campaign, tell
from gammacp.cli.options.reading import Files, Reading
from gammacp.cli.output import AsJson, message, print_json


def init(
    reading: Reading,
    files: Files = None,
    out: Path = option("File to write.", default=Path("campaign.toml"), names=("--out", "-o")),
    force: bool = option("Overwrite an existing file.", default=False),
    json: AsJson = False,
) -> None:
    """Write a campaign.toml: how an export is read, as one file.

    Example: gammacp init exports/

    Most used: --out, --layout and --layer.
    """
    from gammacp.base.files import lift_confinement, write_text
    from gammacp.cli.wording import options_for_parameters
    from gammacp.errors import DataError, UsageError
    from gammacp.formats.campaign_file import read_campaign
    from gammacp.formats.campaign_writing import campaign_text

    if out.exists() and not force:
        raise UsageError(
            f"{out} exists already; overwrite it with --force, or name another with --out"
        )
    if reading.dataset or reading.round or any(path.suffix == ".toml" for path in files or ()):
        raise UsageError("init takes the files of an export")
    campaign = requested_campaign(files, reading)
    collection = campaign.collect()
    tell(collection, allowed=reading.allow_unread)
    campaign.select(collection)  # refuse unknown names now rather than in the next command
    write_text(out, options_for_parameters(campaign_text(campaign, collection, out)))
    outside = ""
    try:
        stamp = read_campaign(out).stamp
    except DataError:  # its paths point outside its folder
        outside = " --outside"
        with lift_confinement():
            stamp = read_campaign(out).stamp
    if json:
        print_json({"campaign": str(out), "stamp": stamp, **reading_json(collection.left_out)})
        return
    message(f"wrote {out}; look through it, then: gammacp inspect {out}{outside}")
