"""`gammacp datasets`: what ships, for `--dataset NAME`."""

from gammacp.cli.output import AsJson, print_json, say


def datasets(json: AsJson = False) -> None:
    """List the data that ship with gammacp, for --dataset NAME."""
    from gammacp.datasets import attributions

    records = attributions()
    if json:
        print_json({"datasets": records})
        return
    for record in records:
        say(f"{record['name']}: {record['content']}")
        say(f"  for {record['command']}; {record['licence']}; {record['source']}")
