"""Output of `gammacp replace --protocol`: a table of all numbers, and what is missing."""

from __future__ import annotations

from gammacp.campaign import result_tables
from gammacp.campaign.replace.span_protocol import SpanProtocol
from gammacp.cli.options.loading import Loaded
from gammacp.cli.output import message, messages, print_json, say, show, tell_signatures


def print_protocol(found: SpanProtocol, loaded: Loaded, *, json: bool) -> None:
    """Print the protocol as a table with the verdicts, or as JSON.

    Parameters
    ----------
    found
        The numbers.
    loaded
        Documents that were read, and what was left out.
    json
        Whether JSON is printed.
    """
    if json:
        print_json({"protocol": found.as_dict(), **loaded.json})
        return
    show(result_tables.protocol(found))
    say(f"F₁ is {found.f1}; units are per document, in brackets those of the others.")
    for candidate in found.candidates:
        if candidate.test is not None:
            say(f"\n{candidate.test.in_words()}")
    rows = [*found.candidates]
    if found.people is None:
        message("there is one person only, so that people cannot be compared among themselves")
    else:
        rows.append(found.people)
    messages(
        (text, f"{what} of {row.name}") for row in rows for text, what in (*row.reasons, *row.notes)
    )
    tell_signatures(*found.signatures)
