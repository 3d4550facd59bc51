"""Choices of a person on the page: input, selection, and computation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from gammacp.base.files import confine
from gammacp.base.validation import Row, WrittenTable, validated
from gammacp.formats.campaign_file import NAME, Campaign, read_campaign
from gammacp.formats.source import parsed_json

M = TypeVar("M", bound=BaseModel)

_OWN = {"round", "reference", "calibrate", "measures"}


class Choice(WrittenTable):
    """A choice as the page sends it and as it is kept; what is empty is left to the readers.

    Attributes
    ----------
    format, layer, feature, tier, layout, columns, dissimilarity, map, only, rename, exclude,
    annotators, bounds
        As in a campaign.toml.
    round
        One of its rounds; None for everything.
    reference
        An annotator to hold against the others.
    calibrate
        Whether the report also says what γ means.
    measures
        Measures whose values of all documents are shown beside γ.
    """

    format: str | None = None
    layer: str | None = None
    feature: str | None = None
    tier: str | None = None
    layout: str | None = None
    columns: dict[str, str] = Field(default={})
    dissimilarity: str | None = None
    map: dict[str, str] = Field(default={})
    only: Row[tuple[str, ...]] = ()
    rename: dict[str, str] = Field(default={})
    exclude: Row[tuple[str, ...]] = ()
    annotators: Row[tuple[str, ...]] = ()
    bounds: Row[tuple[float, float]] | None = None
    round: str | None = None
    reference: str | None = None
    calibrate: bool = False
    measures: Row[tuple[str, ...]] = ()

    @classmethod
    def of(cls, campaign: Campaign) -> Choice:
        """Return the choices that a campaign.toml states."""
        return cls(**{k: v for k, v in campaign.values.items() if k in cls.model_fields})

    def apply_to(self, campaign: Campaign) -> Campaign:
        """Return the campaign with this in place of what it says itself.

        Parameters
        ----------
        campaign
            Campaign whose paths, rounds and options stay.

        Raises
        ------
        DataError
            There is no such round.
        """
        campaign_keys = type(self).model_fields.keys() - _OWN
        rest = {key: value for key, value in campaign.values.items() if key not in campaign_keys}
        chosen: dict[str, Any] = {
            k: v for k, v in self.model_dump(include=campaign_keys).items() if v
        }
        return replace(campaign, values=rest).but(chosen, self.round or None)


def campaign_in(folder: Path) -> Campaign:
    """Return the campaign.toml of a folder, or a campaign that reads the whole folder.

    Parameters
    ----------
    folder
        Folder of the campaign.

    Raises
    ------
    DataError
        The file is not right, or leads out of the folder.
    """
    file = folder / NAME
    with confine(folder, always=True):
        if file.is_file():
            return read_campaign(file)
        return Campaign({"paths": [folder]})


def parse(model: type[M], text: str | bytes) -> M:
    """Parse and validate JSON that a page sent.

    Parameters
    ----------
    model
        Model of what the text should be.
    text
        Text as it came.

    Raises
    ------
    DataError
        It is nothing of the kind.
    """
    return validated(model, parsed_json(text), hint="Load the page again")
