"""Write gammacp/contents.toml: what each subject registers, for messages on deleted subjects.

    python docs/dev/contents.py

A test says when this is due. A subject that is not developed here need not be listed.
"""

from pathlib import Path

from gammacp.base.subjects import subjects

HEADER = """\
# What each subject registers, written by `python docs/dev/contents.py`. It is read only where a
# name is unknown: then a message can say that its subject was deleted.
"""
KINDS = ("command", "format", "measure", "name", "positional dissimilarity")


def contents() -> str:
    """Return the text of contents.toml for the subjects that are there."""
    parts = [HEADER]
    for subject in subjects().values():
        lines = []
        for kind in KINDS:
            entries = subject.tables.get(kind, {})
            names = list(entries) if kind == "command" else " ".join(entries.values()).split()
            if names:
                key = f'"{kind}"' if " " in kind else kind
                lines.append(f'{key} = "{" ".join(names)}"\n')
        if lines:
            parts.append(f"\n[{subject.name}]\n{''.join(lines)}")
    return "".join(parts)


if __name__ == "__main__":
    path = Path(__file__).parents[2] / "gammacp" / "contents.toml"
    path.write_text(contents(), encoding="utf-8")
