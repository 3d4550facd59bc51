"""campaign.toml written from what an export holds, every key explained."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gammacp.continuum import Continuum
from gammacp.formats.campaign_file import KEYS, Campaign
from gammacp.formats.finding import find
from gammacp.formats.layers import chosen_feature, chosen_layer
from gammacp.formats.reading import Collection, layers_of
from gammacp.formats.registry import FORMATS
from gammacp.toml_files import toml_key, toml_value

_HEAD = """\
# What is read of this campaign, and what of it counts. Give this file to any command in the place
# of files; options of the command line win:
#     gammacp gamma {name}
# Lines that begin with # say nothing yet: take the # away from those that you want.
#
# Found: {found}.
"""
_MOST = 20


def campaign_text(campaign: Campaign, found: Collection, out: Path) -> str:
    """The text of a campaign.toml for an export.

    Parameters
    ----------
    campaign
        The paths and options it was read with; they are what the file says.
    found
        What was read.
    out
        Where the text will lie: paths are relative to its folder.
    """
    continua = found.continua.values()
    here = out.parent.absolute()
    said = {**_chosen(campaign, found), **campaign.values}
    said["paths"] = [Path(os.path.relpath(p, here)).as_posix() for p in campaign.values["paths"]]
    documents = sorted({c.name for c in continua})
    names = {
        "rename": sorted({a for c in continua for a in c.annotators}),
        "map": sorted({n for c in continua for n in c.categories}),
    }
    known = FORMATS[said["format"]] if "format" in said else None
    there = {
        "layout": (known and known.layout) or "{annotator}/{document}",
        "annotators": names["rename"][:1],
        "exclude": names["rename"][-1:],
        "only": names["map"],
        "rounds": {"first": documents[: max(1, len(documents) // 2)]},
        "bounds": list(next(iter(continua)).bounds),
        **{key: {name: name for name in entries} for key, entries in names.items()},
    }
    text = _HEAD.format(name=out.name, found=_counts(continua, found))
    layers = {n: ", ".join(v.features) for n, v in _layers(campaign).items() if v.offered}
    options = ", ".join(o for o in known.options if o not in KEYS) if known else ""
    notes = {
        "layer": [f"There is {name}{' with ' * bool(f)}{f}." for name, f in layers.items()],
        "option": [f"There are: {options}."] if options else [],
    }
    for key, entry in KEYS.items():
        if key in ("layer", "feature", "tier") and known and key not in known.options:
            continue
        lines = [f"# {entry.says}", *(f"# {line}" for line in notes.get(key, ()))]
        value = said.get(key, there.get(key, {} if entry.table else "…"))
        if entry.table:
            off = "" if key in said else "# "
            rows = list(value.items())[:_MOST]
            lines += [f"[{key}]", *(f"{off}{toml_key(k)} = {toml_value(v)}" for k, v in rows)]
            if len(value) > len(rows):
                lines.append(f"# … and {len(value) - len(rows)} more")
        else:
            shown = value if key in said or not isinstance(value, list) else value[:_MOST]
            lines.append(f"{'' if key in said else '# '}{key} = {toml_value(shown)}")
        text += "\n" + "\n".join(lines) + "\n"
    return text


def _counts(continua: Iterable[Continuum], found: Collection) -> str:
    numbers = {
        "documents": len(found.continua),
        "annotators": len({a for c in continua for a in c.annotators}),
        "categories": len({n for c in continua for n in c.categories}),
        "units": sum(c.n_units for c in continua),
        "left out": sum(e.count for e in found.left_out),
        "files that could not be read": len(found.failures),
    }
    return ", ".join(f"{count} {what}" for what, count in numbers.items() if count)


def _chosen(campaign: Campaign, found: Collection) -> dict[str, Any]:
    """Format, layer and feature as they were recognised, where there is one of each."""
    formats = set(found.formats.values())
    if len(formats) != 1:
        return {}
    (name,) = formats
    said = {"format": name}
    layers = _layers(campaign)
    if layers and "layer" in FORMATS[name].options:
        layer = chosen_layer(layers, campaign.values.get("layer"))
        feature = chosen_feature(layers, layer, campaign.values.get("feature"))
        known = {"layer": layer, "feature": feature}
        said |= {key: v for key, v in known.items() if v and key in FORMATS[name].options}
    return said


def _layers(campaign: Campaign) -> Mapping[str, Any]:
    name = campaign.values.get("format")
    chosen = None if name is None else FORMATS[name]
    return layers_of(find(campaign.paths, chosen, campaign.values.get("layout")).found)
