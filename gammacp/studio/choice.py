"""What a person chose on the page: how files are read, what of them counts, what is computed."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from gammacp.errors import DataError
from gammacp.formats import Selection

M = TypeVar("M", bound=BaseModel)

READING = ("format", "layer", "feature", "tier", "layout")


class Choice(BaseModel):
    """A choice as the page sends it and as it is kept; what is empty is left to the readers.

    Attributes
    ----------
    format, layer, feature, tier, layout
        As for `gammacp.formats.collect`.
    rename, only, exclude, annotators, bounds
        As for `gammacp.formats.Selection`.
    reference
        An annotator to hold against the others.
    calibrate
        Whether the report also says what γ means.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str | None = None
    layer: str | None = None
    feature: str | None = None
    tier: str | None = None
    layout: str | None = None
    rename: dict[str, str] = {}
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    annotators: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    reference: str | None = None
    calibrate: bool = False

    @property
    def reading(self) -> dict[str, Any]:
        """The options of the readers."""
        return {name: getattr(self, name) or None for name in READING}

    @property
    def selection(self) -> Selection:
        """What of the data counts."""
        return Selection(
            rename=self.rename,
            only=self.only,
            exclude=self.exclude,
            annotators=self.annotators,
            bounds=self.bounds,
        )


def parsed(model: type[M], text: str | bytes) -> M:
    """What a page sent, as JSON.

    Parameters
    ----------
    model
        What it should be.
    text
        As it came.

    Raises
    ------
    DataError
        It is nothing of the kind.
    """
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "what was sent"
        raise DataError(f"{where}: {first['msg']}", hint="Load the page again") from None
