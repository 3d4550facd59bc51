from dataclasses import replace
from pathlib import Path

import pytest

from gammacp import DataError
from shuffling import CategoryModel, Empirical, Layout, ReferenceModel, Uniform
from shuffling.model_file import model_text, read_model

EXAMPLE = """
units = 12
layout = "covering"
length = 900
[categories.noun]
prevalence = 0.7
minimum-length = 50
maximum-length = 150
[categories."à faire"]
prevalence = 0.2
lengths = [40, 55, 61]
[unlabelled]
prevalence = 0.1
lengths = [50, 64]
"""


def read(tmp_path: Path, text: str) -> ReferenceModel:
    path = tmp_path / "model.toml"
    path.write_text(text, "utf-8")
    return read_model(path)


def test_a_model_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, EXAMPLE.replace("length = 900", "length = 720")) == ReferenceModel(
        n_units=12,
        layout=Layout.COVERING,
        length=720,
        categories=(
            CategoryModel(name="noun", prevalence=0.7, lengths=Uniform(50, 150)),
            CategoryModel(name="à faire", prevalence=0.2, lengths=Empirical((40, 55, 61))),
            CategoryModel(name=None, prevalence=0.1, lengths=Empirical((50, 64))),
        ),
    )


def test_missing_keys_have_the_default(tmp_path: Path) -> None:
    assert read(tmp_path, "") == ReferenceModel()
    assert read(tmp_path, "units = 3") == ReferenceModel(n_units=3)


@pytest.mark.parametrize(
    "model",
    [
        ReferenceModel(),
        ReferenceModel(layout=Layout.COVERING, length=2000),
        ReferenceModel().fixed(),
        replace(
            ReferenceModel(),
            integer=False,
            gaps=Empirical((0.1, 1 / 3)),
            categories=(
                CategoryModel(name='a "b"\\\n\x7f\t', prevalence=1 / 3, lengths=Uniform(0.1, 2)),
                CategoryModel(name=None, prevalence=2 / 3, lengths=Empirical((1e-9, 1e17))),
            ),
        ),
    ],
)
def test_a_written_model_is_read_back(model: ReferenceModel, tmp_path: Path) -> None:
    assert read(tmp_path, model_text(model)) == model


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("units = \n", "not TOML: Invalid value"),
        ("units = 2.5", "units = 2.5 is not a whole number"),
        ("units = true", "units = true is not a whole number"),
        ("unit = 2", "key 'unit' is unknown. There are: units, "),
        ('layout = "loose"', "layout = \"loose\" is not 'apart', 'overlapping', "),
        ("integer = 1", "integer = 1 is not true or false"),
        ("length = 'x'", 'length = "x" is not a number'),
        ("gaps = 3", "gaps = 3 is not a table"),
        ("gaps = {min = 3}", "key 'gaps.min' is unknown"),
        ("gaps = {minimum = 3}", "gaps.maximum is missing"),
        ("gaps = {minimum = 3, maximum = 2}", "gaps.minimum: minimum 3 > maximum 2"),
        ("gaps = {values = []}", "gaps.values: list of observed values is empty"),
        ("gaps = {values = ['a']}", r'gaps\.values\[0\] = "a" is not a number'),
        ("gaps = {values = [1], minimum = 2}", "are both given"),
        ("categories = 3", "categories = 3 is not a table"),
        ("[categories]", "categories: there are none"),
        ("categories.a = 3", "categories.a = 3 is not a table"),
        ("categories.a.lengths = [3]", "categories.a.prevalence is missing"),
        ("categories.a.prevalence = 1", "categories.a.minimum-length is missing"),
        (
            "[categories.a]\nprevalence = 0.5\nlengths = [3]",
            "categories: prevalences sum to 0.5, not to 1",
        ),
        (EXAMPLE, "units do not cover: 12 units of categories.à faire reach at most 732"),
    ],
)
def test_errors_name_the_file_and_the_key(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'model.toml'}:")


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not a text file in UTF-8"):
        read_model(path)
