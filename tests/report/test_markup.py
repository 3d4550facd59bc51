import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.base.record_tables import Column, Table, count
from gammacp.report.markup import Markup, element, join, json_script, number, table


def test_text_is_escaped_and_markup_is_not() -> None:
    assert element("td", 'a < b & "c"', Markup("<b>d</b>")) == (
        "<td>a &lt; b &amp; &quot;c&quot;<b>d</b></td>"
    )


def test_attributes_are_escaped_named_and_left_out() -> None:
    markup = element("p", class_='x" onclick="y', data_part="z", hidden=True, id=None, title=False)
    assert markup == '<p class="x&quot; onclick=&quot;y" data-part="z" hidden></p>'


def test_join_escapes_plain_text_only() -> None:
    assert join("<", Markup("<br>"), None) == "&lt;<br>"


@given(st.text(max_size=40))
@settings(max_examples=60)
def test_json_is_read_back_unchanged(text: str) -> None:
    script = json_script({"text": text, "list": [text]})
    head, tail = '<script type="application/json">', "</script>"
    assert script.startswith(head)
    body = script[len(head) : -len(tail)]
    assert "<" not in body
    assert json.loads(body) == {"text": text, "list": [text]}


def test_numbers_that_json_lacks_are_null() -> None:
    script = json_script([math.nan, math.inf, 2.0, 2.5, "\ud800"])
    assert script == '<script type="application/json">[null,null,2,2.5,"?"]</script>'


def test_tables_have_headers_for_rows_and_columns() -> None:
    columns = (Column("name", "name"), Column("n", "n", count))
    markup = table(Table(columns, [{"name": "<x>", "n": 3}]))
    assert '<th scope="col" class="number">N</th>' in markup
    assert (
        '<th scope="row" class="name">&lt;x&gt;</th><td class="number" data-label="N">3</td>'
        in markup
    )


def test_numbers_for_people() -> None:
    assert (number(-0.25), number(None), number(math.nan), number(math.inf)) == (
        "−0.250", "–", "–", "∞",
    )  # fmt: skip


def test_control_characters_are_shown() -> None:
    assert element("td", "a\u202eb\x1b[1m", title="\x00") == (
        '<td title="\\x00">a\\u202eb\\x1b[1m</td>'
    )
