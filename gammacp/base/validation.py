"""Validation of hand-written input (TOML, JSON, posts of a page) against a model.

A mistake is one DataError: the key and its line, the value, what it should be and what to write.
"""

from __future__ import annotations

import json
from os import PathLike
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from gammacp.base.toml_files import check_depth, line_of
from gammacp.errors import DataError

M = TypeVar("M", bound=BaseModel)
V = TypeVar("V")

Text = Annotated[str, Field(min_length=1, examples=['"a"'])]
Texts = Annotated[list[Text], Field(examples=['["a", "b"]'])]
Row = Annotated[V, Strict(False)]
"""A tuple of fixed length, which TOML and JSON write as a list."""

_LONGEST = 200
_LIMITS = {"greater_than_equal": (">=", "ge"), "less_than_equal": ("<=", "le")}
_KINDS = {
    "bool_type": "true or false",
    "finite_number": "a finite number",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list",
    "string_too_short": "a text",
    "string_type": "a text",
    "tuple_type": "a list",
}


class WrittenTable(BaseModel):
    """A hand-written table: unknown keys are refused, and `true` is not a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _has_no_other_key(cls, table: Any) -> Any:
        allowed_keys = [field.alias or name for name, field in cls.model_fields.items()]
        for key in table if isinstance(table, dict) else ():
            if key not in allowed_keys:
                context = {"key": key, "known": ", ".join(allowed_keys)}
                raise PydanticCustomError("unknown key", "There are: {known}", context)
        return table


def validated(
    model: type[M],
    value: object,
    *,
    file: str | PathLike[str] | None = None,
    text: str = "",
    hint: str | None = None,
) -> M:
    """Return a parsed document as an instance of a model.

    Parameters
    ----------
    model
        Model that the document must match.
    value
        The document, as TOML or JSON has it.
    file, text
        File that the document is from; of TOML its text, so that the error has a line.
    hint
        Advice about a mistake, where that is always the same.

    Raises
    ------
    DataError
        The document does not match the model.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        mistakes = error.errors(include_url=False)
    # What is wrong is shown, and to write out what is nested without end takes all of the stack.
    for mistake in mistakes:
        check_depth([mistake["input"]], file=file)
    # Of a value that is none of several kinds, the kind that it is most like.
    keys, first = max(((_keys(e, value), e) for e in mistakes), key=lambda pair: len(pair[0]))
    place = "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in keys).removeprefix(".")
    quotation = json.dumps(first["input"], ensure_ascii=False, default=str)[:_LONGEST]
    quotation = f"{place or 'what is written'} = {quotation}"
    if keys:
        field = model.model_fields.get(str(keys[0]))
    else:
        field = None
    kind = first["type"]
    advice = None
    if kind == "unknown key":
        message = f"key {place!r} is unknown"
        advice = first["msg"]
    elif kind == "missing":
        message = f"{place} is missing"
    elif kind in ("dict_type", "model_type"):
        message = f"{quotation} is not a table"
        advice = f"Begin one: [{place}]"
    elif kind in ("enum", "literal_error"):
        message = f"{quotation} is not {first['ctx']['expected']}"
    elif kind in _LIMITS:
        sign, name = _LIMITS[kind]
        message = f"{quotation} is not a number {sign} {first['ctx'][name]:.16g}"
    elif kind in _KINDS:
        message = f"{quotation} is not {_KINDS[kind]}"
        if field and field.examples:
            advice = f"Write it as {field.examples[0]}"
        else:
            advice = None
    else:
        explanation = first["msg"]
        message = quotation + (
            f" {explanation}" if explanation.startswith("is ") else f": {explanation.lower()}"
        )
    line = line_of(text, *(str(k) for k in keys if not isinstance(k, int)))
    raise DataError(message, file=file, line=line, hint=hint or advice)


def _keys(error: Any, document: Any) -> list[str | int]:
    """Return the way to what an error is about, without the names of kinds that it was tried as."""
    keys: list[str | int] = []
    for key in error["loc"]:
        inside = isinstance(document, dict) and key in document
        if inside or (isinstance(document, list) and isinstance(key, int) and key < len(document)):
            keys.append(key)
            document = document[key]
    if error["type"] == "missing":
        keys.append(error["loc"][-1])
    return keys + ([error["ctx"]["key"]] if error["type"] == "unknown key" else [])
