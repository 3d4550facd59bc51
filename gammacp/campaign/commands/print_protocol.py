"""Output of `gammacp replace --protocol`: a table with sentences, or JSON."""

from __future__ import annotations

from gammacp.campaign import result_tables
from gammacp.campaign.replace.span_protocol import SpanProtocol
from gammacp.cli.options.loading import Loaded
from gammacp.cli.output import message, messages, print_json, say, show, tell_signatures


def print_protocol(protocol: SpanProtocol, loaded: Loaded, *, as_json: bool) -> None:
    """Print the protocol as a table with the verdicts, or as JSON.

    Parameters
    ----------
    protocol
        Result of `span_protocol`.
    loaded
        Documents that were read, and what was left out.
    as_json
        Print JSON instead of a table.
    """
    if as_json:
        print_json({"protocol": protocol.as_dict(), **loaded.json})
        return
    show(result_tables.protocol(protocol))
    say(f"F₁ is {protocol.f1}; units are per document, in brackets those of the others.")
    for candidate in protocol.candidates:
        if candidate.test is not None:
            say(f"\n{candidate.test.in_words()}")
    rows = list(protocol.candidates)
    if protocol.people is None:
        message("there is one person only, so that people cannot be compared among themselves")
    else:
        rows.append(protocol.people)
    messages(
        (reason, f"{value_name} of {row.name}")
        for row in rows
        for reason, value_name in (*row.reasons, *row.notes)
    )
    tell_signatures(*protocol.signatures)
