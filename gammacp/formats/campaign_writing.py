"""Write a campaign.toml for an export, with an explanation of every key."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_origin

from gammacp.base.toml_files import toml_key, toml_value
from gammacp.continuum import Continuum
from gammacp.formats.campaign_file import KEYS, Campaign
from gammacp.formats.collection import Collection
from gammacp.formats.finding import find
from gammacp.formats.layers import Layers, chosen_feature, chosen_layer
from gammacp.formats.reading import layers_of
from gammacp.formats.registry import FORMATS

_HEAD = """\
# What gammacp reads of this campaign, and what counts. Give this file to any command instead of
# files. Options on the command line take precedence:
#     gammacp gamma {name}
# Lines that begin with # have no effect. Remove the # from those that you want.
#
# Found: {found}.
"""
_MOST = 20


def campaign_text(campaign: Campaign, found: Collection, out: Path) -> str:
    """Return the text of a campaign.toml for an export.

    Parameters
    ----------
    campaign
        The paths and options with which it was read; they become the values of the file.
    found
        Documents that were read.
    out
        Path at which the text will lie: paths are relative to its folder.
    """
    continua = found.continua.values()
    here = out.parent.absolute()
    there_are = _layers(campaign)
    choices = {**_choices(campaign, found, there_are), **campaign.values}
    choices["paths"] = [Path(os.path.relpath(p, here)).as_posix() for p in campaign.values["paths"]]
    if "format" in choices:
        format_entry = FORMATS[choices["format"]]
    else:
        format_entry = None
    examples = _examples(continua)
    if format_entry and format_entry.layout:
        examples["layout"] = format_entry.layout
    text = _HEAD.format(name=out.name, found=_counts(continua, found))
    layers = {n: ", ".join(v.features) for n, v in there_are.items() if v.offered}
    if format_entry:
        options = ", ".join(o for o in format_entry.reader.options if o not in KEYS)
    else:
        options = ""
    notes = {
        "layer": [f"There is {name}{' with ' * bool(f)}{f}." for name, f in layers.items()],
        "option": [f"There are: {options}."] if options else [],
    }
    # Tables come last: in TOML, a key that follows a table belongs to the table.
    for key, entry in sorted(KEYS.items(), key=lambda item: get_origin(item[1].annotation) is dict):
        if (
            key in ("layer", "feature", "tier")
            and format_entry
            and key not in format_entry.reader.options
        ):
            continue
        kind = get_origin(entry.annotation) or entry.annotation
        value = choices.get(key, examples.get(key, kind() if kind in (dict, float) else "…"))
        lines = [f"# {entry.description}", *(f"# {line}" for line in notes.get(key, ()))]
        text += (
            "\n" + "\n".join([*lines, *_said(key, value, "" if key in choices else "# ")]) + "\n"
        )
    return text


def _examples(continua: Iterable[Continuum]) -> dict[str, Any]:
    """Return example values of the keys for these continua."""
    people = sorted({a for c in continua for a in c.annotators})
    labels = sorted({n for c in continua for n in c.categories})
    documents = sorted({c.name for c in continua})
    return {
        "layout": "{annotator}/{document}",
        "annotators": people[:1],
        "exclude": people[-1:],
        "only": labels,
        "align_texts": True,
        "positions": dict.fromkeys(people[:1], "end+1"),
        "include": ["unfinished", "reference"],
        "repeated": "last",
        "rounds": {"first": documents[: max(1, len(documents) // 2)]},
        "read_until": {name: next(iter(continua)).bounds[1] for name in people[:1]},
        "grid": 1,
        "markable": "stretches.csv",
        "bounds": list(next(iter(continua)).bounds),
        "cluster": "{cluster}-*",
        "weight": "weights.csv",
        "rename": {name: name for name in people},
        "map": {name: name for name in labels},
    }


def _said(key: str, value: Any, off: str) -> list[str]:
    """Return the lines of a key, those of examples behind `off`; long values are shortened."""
    if not isinstance(value, dict):
        if off and isinstance(value, list):
            shown = value[:_MOST]
        else:
            shown = value
        return [f"{off}{key} = {toml_value(shown)}"]
    rows = [f"{off}{toml_key(k)} = {toml_value(v)}" for k, v in value.items()]
    if len(rows) > _MOST:
        more = [f"# … and {len(rows) - _MOST} more"]
    else:
        more = []
    return [f"[{key}]", *rows[:_MOST], *more]


def _counts(continua: Iterable[Continuum], collection: Collection) -> str:
    numbers = {
        "documents": len(collection.continua),
        "annotators": len({a for c in continua for a in c.annotators}),
        "categories": len({n for c in continua for n in c.categories}),
        "units": sum(c.n_units for c in continua),
        "left out": sum(e.count for e in collection.left_out),
        "files that could not be read": len(collection.failures),
    }
    return ", ".join(f"{count} {what}" for what, count in numbers.items() if count)


def _choices(campaign: Campaign, collection: Collection, layers: Layers) -> dict[str, Any]:
    """Return the format, layer and feature that were recognised, if there is one format."""
    formats = set(collection.formats.values())
    if len(formats) != 1:
        return {}
    (name,) = formats
    choices = {"format": name}
    if layers and "layer" in FORMATS[name].reader.options:
        layer = chosen_layer(layers, campaign.values.get("layer"))
        feature = chosen_feature(layers, layer, campaign.values.get("feature"))
        parts = {"layer": layer, "feature": feature}
        options = FORMATS[name].reader.options
        choices |= {key: v for key, v in parts.items() if v and key in options}
    return choices


def _layers(campaign: Campaign) -> Layers:
    name = campaign.values.get("format")
    if name is None:
        chosen = None
    else:
        chosen = FORMATS[name]
    return layers_of(find(campaign.paths, chosen, campaign.values.get("layout")).sources)
