"""One-line diagnosis of a sentence that its annotators disagree about."""

from collections.abc import Iterable, Sequence

from gammacp.base.text import counted
from gammacp.trees.measures.annotations import Dependencies, Item, Phrase, Treebank


def diagnose(treebank: Treebank, item: Item) -> str:
    """Describe the worst difference between annotations, or their different token counts.

    For dependencies it is the differing head with most tokens below it; for phrase structure, the
    longest bracketing that some annotators lack. For different token counts, the text tells whether
    a neighbouring sentence makes up for them.
    """
    if not item.same_length:
        return _lengths(treebank, item)
    sentences = dict(item.annotations)
    dependencies = {a: s for a, s in sentences.items() if isinstance(s, Dependencies)}
    if dependencies:
        return _attachments(dependencies)
    return _bracketings({a: s for a, s in sentences.items() if isinstance(s, Phrase)})


def _lengths(treebank: Treebank, item: Item) -> str:
    counts = {a: s.n_tokens for a, s in item.annotations.items()}
    text = "token counts differ: " + ", ".join(f"{n} by {a}" for a, n in counts.items())
    place = next(k for k, other in enumerate(treebank.items) if other is item)
    before = treebank.items[max(place - 1, 0) : place]
    after = treebank.items[place + 1 :]
    for other in (*before, *after[:1]):
        if other.document != item.document or set(other.annotations) != set(counts):
            continue
        together = {n + other.annotations[a].n_tokens for a, n in counts.items()}
        if len(together) == 1:
            return (
                f"{text}; together with sentence {other.name} all have {together.pop()}: "
                "the annotators split sentences at different places"
            )
    return text


def _attachments(sentences: dict[str, Dependencies]) -> str:
    heads = list(zip(*(s.heads for s in sentences.values()), strict=True))
    labels = list(zip(*(s.relations for s in sentences.values()), strict=True))
    moved = [t for t, row in enumerate(heads, start=1) if len(set(row)) > 1]
    named = [t for t, row in enumerate(labels, start=1) if len(set(row)) > 1]
    differing = f"{counted(len(moved), 'head')} and {counted(len(named), 'label')}"
    text = f"{differing} of {len(heads)} tokens differ"
    if not moved:
        return text
    below = [_descendants(s.heads) for s in sentences.values()]
    largest = max(moved, key=lambda t: (max(sizes[t] for sizes in below), -t))
    forms = next((s.forms for s in sentences.values() if s.forms), ())
    if forms:
        name = f"{largest} {forms[largest - 1]!r}"
    else:
        name = str(largest)
    votes = _by_value(heads[largest - 1], sentences)
    subtree = f"token {name} with {counted(max(s[largest] for s in below), 'token')} below it"
    return f"{text}; largest subtree: {subtree}, head {votes}"


def _descendants(heads: Sequence[int]) -> list[int]:
    """Count the tokens below each node; walks up from each token end at a cycle."""
    sizes = [0] * (len(heads) + 1)
    for token in range(1, len(heads) + 1):
        passed = {token}
        node = heads[token - 1]
        while 0 < node <= len(heads) and node not in passed:
            passed.add(node)
            sizes[node] += 1
            node = heads[node - 1]
    return sizes


def _bracketings(sentences: dict[str, Phrase]) -> str:
    sets = [s.bracketings for s in sentences.values()]
    everywhere = frozenset.intersection(*sets)
    partly = frozenset.union(*sets) - everywhere
    text = f"{len(partly)} of {len(partly) + len(everywhere)} bracketings are not shared by all"
    if not partly:
        return text
    largest = max(partly, key=lambda b: (b[2] - b[1], b[0], -b[1]))
    by = ", ".join(a for a, s in zip(sentences, sets, strict=True) if largest in s)
    return f"{text}; longest: {largest[0]} over leaves {largest[1]}–{largest[2]} by {by}"


def _by_value(values: Iterable[int], sentences: dict[str, Dependencies]) -> str:
    people: dict[int, list[str]] = {}
    for annotator, value in zip(sentences, values, strict=True):
        people.setdefault(value, []).append(annotator)
    return ", ".join(f"{value} by {' and '.join(names)}" for value, names in people.items())
