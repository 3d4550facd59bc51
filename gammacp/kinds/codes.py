"""Kinds of differences, and the integer codes by which compiled kernels describe differences.

The kernels give each unit a *state* for each annotator without a partner for it, and each
difference a *form* and a *bearer*. Form and bearer together give the kind (`charging`).
"""

DIFFERENCE_KINDS = (
    "position",
    "category",
    "split",
    "merged",
    "missing",
    "extra",
    "unmatched",
    "level",
)
"""Kinds of differences, from the view of the annotator who is charged.

The annotator has `split` a unit of the others, `merged` several of them, lacks a unit (`missing`),
has one alone (`extra`), or nests it at another `level`. A unit without a counterpart is `unmatched`
in a tie: it is then neither missing nor extra, and each side is charged with half.
"""

KIND_CODE = {kind: code for code, kind in enumerate(DIFFERENCE_KINDS)}

# State of a unit for an annotator who has no partner for it. The codes are plain integers, because
# compiled kernels read them.
STATE_ALONE = 0  # it has no counterpart
STATE_PART = 1  # it is a part of a larger unit of the annotator
STATE_WHOLE = 2  # it covers several units of the annotator
STATE_OTHER_LEVEL = 3  # it is on another level of nesting
# Form of a row of the table of differences.
FORM_POSITION = 0
FORM_CATEGORY = 1
FORM_FAMILY = 2  # one unit of the first annotator opposite several of the second
FORM_UNMATCHED = 3
FORM_NESTING = 4
# Bearer: who is charged with a row.
BEARER_FIRST = 0  # its first annotator
BEARER_SECOND = 1  # its second annotator
BEARER_BOTH = 2  # each with half
BEARER_NOBODY = 3  # nobody, because a convention explains the row
