"""The bracketing F₁ of EVALB (Sekine & Collins 1997) between annotators, by its COLLINS.prm.

Only brackets above parts of speech count: leaves are no brackets, punctuation and traces are
removed, and `TOP` is ignored. Labels lose their function tags, and ADVP and PRT are equal. A
bracket that occurs several times counts as often, and the counts of all sentences are added up
before the ratio is taken.
"""

from collections import Counter

from gammacp.trees.conventions import TRACE, category
from gammacp.trees.measures.annotations import Bracketing, Phrase, Treebank

_NO_PLACE = frozenset({TRACE, ",", ":", "``", "''", "."})
_EQUAL = {"PRT": "ADVP"}


def evalb_brackets(sentence: Phrase) -> Counter[Bracketing]:
    """Return the brackets that count (label, first leaf, last leaf), with their frequency.

    Parameters
    ----------
    sentence
        Sentence without words, so that parts of speech are leaves.

    >>> vp = ("VP", (("V", ()), ("NP-OBJ", (("N", ()), (".", ())))))
    >>> sorted(evalb_brackets(Phrase(("TOP", (("PRP", ()), vp)))))
    [('NP', 3, 3), ('VP', 2, 3)]
    """
    tree = sentence.tree
    leaves = 0
    before: list[int] = []  # leaves with a place before each node's first one
    brackets: Counter[Bracketing] = Counter()
    for i, (label, first) in enumerate(zip(tree.labels, tree.leftmost, strict=True)):
        if first == i:
            before.append(leaves)
            leaves += label not in _NO_PLACE
        else:
            before.append(before[first])
            name = category(label)
            if leaves > before[i] and name != "TOP":
                brackets[_EQUAL.get(name, name), before[i] + 1, leaves] += 1
    return brackets


def evalb_f1(treebank: Treebank) -> float:
    """Return 2 · common brackets / all brackets, over all pairs of annotations.

    Only pairs with equal numbers of leaves are compared. A sentence has weight 1, however many
    annotators it has.

    Parameters
    ----------
    treebank
        Phrase structures.
    """
    common = everything = 0.0
    for item in treebank.shared_items:
        if not item.same_length:
            continue
        pairs = [(evalb_brackets(a), evalb_brackets(b)) for a, b in item.pairs(Phrase)]
        common += sum((x & y).total() for x, y in pairs) / len(pairs)
        everything += sum(x.total() + y.total() for x, y in pairs) / len(pairs)
    if everything:
        return 2 * common / everything
    return float("nan")
