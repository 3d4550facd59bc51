"""Choices made on the page: how to read files, what to select, and what to compute."""

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

# Choices that do not replace settings of the campaign.
_OWN = {"round", "reference", "calibrate", "measures"}


class Choice(WrittenTable):
    """Choices in the form that the page sends and the journal stores; empty ones are defaults.

    Attributes
    ----------
    format, layer, feature, tier, layout, columns, dissimilarity, map, only, rename, exclude,
    annotators, bounds
        As in a campaign.toml.
    round
        A round of the campaign; None for all data.
    reference
        An annotator to compare with the others.
    calibrate
        Whether the report includes a calibration of γ.
    measures
        Measures of all documents to show beside γ.
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
        """Return the campaign with its settings replaced by these choices.

        Parameters
        ----------
        campaign
            Campaign, whose paths, rounds and options are kept.

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
        The file is invalid, or its paths point outside the folder.
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
        Pydantic model of the expected content.
    text
        JSON as received.

    Raises
    ------
    DataError
        The text does not match the model.
    """
    return validated(model, parsed_json(text), hint="Load the page again")
