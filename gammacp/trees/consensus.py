"""Consensus trees: the tree over a sentence with most votes for its arcs, computed exactly.

Each annotator votes for the arcs of his or her tree. Choosing the head with most votes for each
token alone could give a cycle. The tree with the largest sum of votes is a maximum spanning
arborescence (Chu & Liu 1965, Edmonds 1967). If every annotator has one root, so has the consensus.
The label of an arc is chosen by the annotators who have the arc.

Of equally good trees, the one with more arcs of the annotators named first is taken. Every token
that has another head or label in an equally good tree is reported.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from gammacp.base.files import write_text
from gammacp.errors import UsageError
from gammacp.trees.measures.annotations import Dependencies, Item, Treebank

Arc: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class ConsensusTree:
    """The tree with most votes of the annotations of a sentence.

    Attributes
    ----------
    tree
        Tree with forms; lemmas, parts of speech and features are those of most annotators.
    annotators
        Number of annotators who voted.
    head_votes, label_votes
        Number of annotators who have each token's head, and how many of these have its label.
    other_heads, other_labels
        Heads and labels of each token in other trees that are equally good; mostly empty.
    """

    tree: Dependencies
    annotators: int
    head_votes: tuple[int, ...]
    label_votes: tuple[int, ...]
    other_heads: tuple[tuple[int, ...], ...]
    other_labels: tuple[tuple[str, ...], ...]


def best_tree(weights: Mapping[Arc, int], n: int) -> tuple[int, ...]:
    """Return the heads of the tokens 1 to n in the tree with the largest sum of weights.

    Parameters
    ----------
    weights
        Weight of each arc (head, token). Every token must be reachable from the root.
    n
        Number of tokens, ≥ 1.

    >>> best_tree({(0, 1): 1, (2, 1): 5, (1, 2): 4, (0, 2): 2}, 2)
    (2, 0)
    """
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(n + 1))
    graph.add_weighted_edges_from((h, t, w) for (h, t), w in weights.items())
    tree = nx.maximum_spanning_arborescence(graph)
    heads = {t: h for h, t in tree.edges}
    return tuple(heads[t] for t in range(1, n + 1))


def consensus_tree(sentences: Sequence[Dependencies]) -> ConsensusTree:
    """Return the consensus of annotations of one sentence.

    In ties, arcs of earlier annotations are preferred.

    Parameters
    ----------
    sentences
        At least one, all with the same number of tokens.

    Raises
    ------
    UsageError
        There is none, or numbers of tokens differ.

    >>> a, b = Dependencies((2, 0), ("s", "r")), Dependencies((0, 1), ("r", "o"))
    >>> found = consensus_tree([a, b, a])
    >>> found.tree.heads, found.head_votes, found.other_heads
    ((2, 0), (2, 2), ((), ()))
    """
    if len({s.n_tokens for s in sentences}) != 1:
        raise UsageError("a consensus needs annotations with equally many tokens")
    n = sentences[0].n_tokens
    people = len(sentences)
    votes = Counter((h, t) for s in sentences for t, h in enumerate(s.heads, 1) if 0 <= h <= n)
    one_root = all(s.heads.count(0) == 1 for s in sentences)
    # Add all arcs from the root with 0 votes, so that a tree exists whatever the cycles.
    arcs = {(0, t): 0 for t in range(1, n + 1)} | {a: v for a, v in votes.items() if a[0] != a[1]}
    fine = n * people + 1
    if one_root:
        roots = -(n * people + 1)
    else:
        roots = 0
    worth = {(h, t): v + (roots if h == 0 else 0) for (h, t), v in arcs.items()}
    first = {
        (h, t): next((people - k for k, s in enumerate(sentences) if s.heads[t - 1] == h), 0)
        for h, t in arcs
    }
    weights = {arc: fine * worth[arc] + first[arc] for arc in arcs}
    heads = best_tree(weights, n)
    others = _other_heads(worth, heads, n)
    labels, label_votes, other_labels = zip(
        *(_label(sentences, t, h) for t, h in enumerate(heads, 1)), strict=True
    )
    forms = _majority([s.forms for s in sentences])
    # If words differ, only sentences that have a word determine its features.
    whole = next((s for s in sentences if s.forms == forms), None)
    tree = replace(
        sentences[0],
        heads=heads,
        relations=labels,
        forms=forms,
        multiword=() if whole is None else whole.multiword,
        lemmas=_of_words(sentences, forms, "lemmas"),
        upos=_of_words(sentences, forms, "upos"),
        xpos=(),
        features=_of_words(sentences, forms, "features"),
    )
    head_votes = tuple(votes[h, t] for t, h in enumerate(heads, 1))
    return ConsensusTree(tree, people, head_votes, label_votes, others, other_labels)


def _other_heads(
    worth: Mapping[Arc, int], heads: Sequence[int], n: int
) -> tuple[tuple[int, ...], ...]:
    """Return, for each token, the heads that it has in other trees with the same sum."""
    import networkx as nx

    best = sum(worth[h, t] for t, h in enumerate(heads, 1))
    most = [max(w for (_, t), w in worth.items() if t == token) for token in range(1, n + 1)]
    # If every token has its best head, only heads with as many votes can be in an equally good
    # tree.
    everywhere = best == sum(most)
    other_heads = []
    for token, head in enumerate(heads, 1):
        equal = []
        for other, t in sorted(worth):
            if t != token or other == head or (everywhere and worth[other, t] < most[t - 1]):
                continue
            allowed = {a: w for a, w in worth.items() if a[1] != token or a[0] == other}
            try:
                again = best_tree(allowed, n)
            except nx.NetworkXException:  # no tree has that arc
                continue
            if sum(allowed[h, k] for k, h in enumerate(again, 1)) == best:
                equal.append(other)
        other_heads.append(tuple(equal))
    return tuple(other_heads)


def _label(
    sentences: Sequence[Dependencies], token: int, head: int
) -> tuple[str, int, tuple[str, ...]]:
    """Return the label of an arc, its votes, and other labels with as many votes.

    If no annotator has the arc, all of them vote.
    """
    labels = [s.relations[token - 1] for s in sentences if s.heads[token - 1] == head]
    counts = Counter(labels or [s.relations[token - 1] for s in sentences])
    (label, most), *_ = counts.most_common(1)
    return label, most, tuple(x for x, k in counts.items() if k == most and x != label)


def _majority(columns: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    filled = [column for column in columns if column]
    return tuple(Counter(values).most_common(1)[0][0] for values in zip(*filled, strict=True))


def _of_words(
    sentences: Sequence[Dependencies], forms: tuple[str, ...], name: str
) -> tuple[str, ...]:
    """Return for each word the value that most sentences with this word give; "_" if none does."""
    tagged = [s for s in sentences if getattr(s, name)]
    votes_by_token = [
        Counter(getattr(s, name)[t] for s in tagged if not s.forms or s.forms[t] == forms[t])
        for t in range(sentences[0].n_tokens)
    ]
    return tuple(
        max(votes, key=votes.__getitem__, default="_") for votes in votes_by_token if tagged
    )


@dataclass(frozen=True)
class ConsensusTrees:
    """The consensus trees of a treebank.

    Attributes
    ----------
    trees
        Trees by sentence.
    left_out
        Number of sentences whose annotators have different numbers of tokens.
    """

    trees: tuple[tuple[Item, ConsensusTree], ...]
    left_out: int

    def as_dict(self) -> dict[str, int]:
        """Count sentences, tokens, tied heads, tied labels, and sentences left out."""
        trees = [tree for _, tree in self.trees]
        return {
            "sentences": len(trees),
            "tokens": sum(c.tree.n_tokens for c in trees),
            "tied_heads": sum(map(bool, (o for c in trees for o in c.other_heads))),
            "tied_labels": sum(map(bool, (o for c in trees for o in c.other_labels))),
            "sentences_left_out": self.left_out,
        }

    def in_words(self, place: str) -> str:
        """Describe in a sentence what was written, and how much of it is tied.

        Parameters
        ----------
        place
            Name of the file that was written.
        """
        n = self.as_dict()
        if self.left_out:
            rest = f"; {self.left_out} left out, since tokens differ"
        else:
            rest = ""
        return (
            f"{place}: consensus of {n['sentences']} sentences, {n['tokens']} tokens; "
            f"{n['tied_heads']} heads and {n['tied_labels']} labels are tied{rest}"
        )

    def write(self, path: Path) -> None:
        """Write CoNLL-U with votes and ties in MISC.

        Parameters
        ----------
        path
            Path of the file.
        """
        text = "\n".join(_conllu(item, tree) for item, tree in self.trees)
        write_text(path, text + "\n")


def consensus_trees(treebank: Treebank) -> ConsensusTrees:
    """Return the consensus of every sentence with at least two annotations.

    Parameters
    ----------
    treebank
        Dependencies.

    Raises
    ------
    UsageError
        The treebank consists of phrase structures.
    """
    if treebank.kind != "dependency":
        raise UsageError("consensus trees need dependencies: phrase structure has no arcs")
    trees = []
    for item in treebank.shared_items:
        if item.same_length:
            sentences = [s for s in item.annotations.values() if isinstance(s, Dependencies)]
            trees.append((item, consensus_tree(sentences)))
    return ConsensusTrees(tuple(trees), len(treebank.shared_items) - len(trees))


def _conllu(item: Item, consensus: ConsensusTree) -> str:
    s = consensus.tree
    unknown = ("_",) * s.n_tokens
    ranges = {first: (last, form) for first, last, form in s.multiword}
    name = f"{item.document} {item.name}".strip()
    lines = [f"# sent_id = {name}", f"# annotators = {consensus.annotators}"]
    columns = zip(s.forms or unknown, s.lemmas or unknown, s.upos or unknown, strict=True)
    for k, (form, lemma, upos) in enumerate(columns):
        if k + 1 in ranges:
            lines.append(f"{k + 1}-{ranges[k + 1][0]}\t{ranges[k + 1][1]}" + "\t_" * 8)
        misc = [f"HeadVotes={consensus.head_votes[k]}", f"LabelVotes={consensus.label_votes[k]}"]
        for key, ties in (
            ("OtherHead", consensus.other_heads),
            ("OtherLabel", consensus.other_labels),
        ):
            if ties[k]:
                misc.append(f"{key}={','.join(map(str, ties[k]))}")
        if s.features:
            features = s.features[k]
        else:
            features = "_"
        cells = (k + 1, form, lemma, upos, "_", features, s.heads[k], s.relations[k], "_")
        lines.append("\t".join(map(str, cells)) + "\t" + "|".join(misc))
    return "\n".join([*lines, ""])
