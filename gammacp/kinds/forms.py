"""Names of the kinds of differences, and codes of what the kernels return."""

KINDS = ("position", "category", "split", "merged", "missing", "extra", "unmatched", "level")
"""Kinds of differences; `unmatched` are units that nobody can be charged with."""

KIND_CODE = {kind: code for code, kind in enumerate(KINDS)}

# What a unit is to an annotator who has no partner for it.
ALONE = 0
PART = 1
WHOLE = 2
LEVEL = 3
# Forms of rows: a family is one unit of the first annotator against several of the second.
POSITION = 0
CATEGORY = 1
FAMILY = 2
UNMATCHED = 3
NESTING = 4
# Who bears a row: the first annotator of it, the second, both alike, or nobody: a convention does.
FIRST = 0
SECOND = 1
BOTH = 2
NOBODY = 3
