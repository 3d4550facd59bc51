"""Characters in the labels of tables of segmentations."""

from gammacp.segmentation.table_reading import codings_from_table


def test_a_label_may_have_any_character() -> None:
    """`str.splitlines` takes each of these characters for the end of a line, and tables do not."""
    labels = ["a\u2028b", "a\x85b", "a\x0bb", "a\x1cb"]
    table = "Unit,x,y\n" + "".join(f"{i},{label},{label}\n" for i, label in enumerate(labels))
    codings = codings_from_table(table, item="i")["i"]
    assert codings["x"].masses == codings["y"].masses == (1, 1, 1, 1)
