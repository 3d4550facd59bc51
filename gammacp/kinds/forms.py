"""Names of the kinds of differences, and codes of what the kernels return."""

KINDS = ("position", "category", "split", "merged", "missing", "extra", "unmatched", "level")
"""Kinds of differences; `unmatched` is a unit of one annotator for which nobody can be charged."""

KIND_CODE = {kind: code for code, kind in enumerate(KINDS)}

# State of a unit for an annotator who has no partner for it: it has no counterpart, it is a part of
# a larger unit, it is the whole of several units, or it is on another level of nesting.
ALONE = 0
PART = 1
WHOLE = 2
LEVEL = 3
# Forms of rows. A family is one unit of the first annotator opposite several of the second.
POSITION = 0
CATEGORY = 1
FAMILY = 2
UNMATCHED = 3
NESTING = 4
# Who is charged with a row: its first annotator, its second annotator, both in halves, or nobody
# (because a convention explains it).
FIRST = 0
SECOND = 1
BOTH = 2
NOBODY = 3
