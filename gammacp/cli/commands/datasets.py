"""`gammacp datasets`: what ships, for `--dataset NAME`."""

from gammacp.cli.output import AsJson, print_json


def datasets(json: AsJson = False) -> None:
    """Data that ship, for --dataset NAME: what they are, where from, under which licence."""
    from gammacp.datasets import attributions

    records = attributions()
    if json:
        print_json({"datasets": records})
        return
    for record in records:
        print(f"{record['name']}: {record['content']}")
        print(f"  for {record['command']}; {record['licence']}; {record['source']}")
