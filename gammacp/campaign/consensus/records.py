"""Records of a consensus for JSON."""

from typing import Any

from gammacp.alignment import Alignment
from gammacp.campaign.consensus.consensus import Consensus, ConsensusUnit
from gammacp.continuum.label import label_json


def consensus_document(name: str, consensus: Consensus, alignment: Alignment) -> dict[str, Any]:
    """Return the record of a consensus and of its alignment; `name` is that of the document."""
    return {
        "file": name,
        "alignment": alignment.as_dict(),
        "needed": consensus.needed,
        "entropy": consensus.entropy,
        "units": [unit_record(u) for u in consensus.units],
        "review": [consensus.units.index(u) for u in consensus.review],
        **({"links": [x.as_dict() for x in consensus.links]} if consensus.links else {}),
    }


_PLAIN = ("kept", "support", "confidence", "disorder", "posterior", "entropy")


def unit_record(unit: ConsensusUnit) -> dict[str, Any]:
    """Return the record of a consensus unit, kept or left out, with its evidence."""
    return {
        "start": unit.start,
        "end": unit.end,
        **({"fragments": unit.fragments} if unit.fragments else {}),
        **({"shape": unit.shape.json(unit.start, unit.end)} if unit.shape else {}),
        **label_json(unit.category),
        **{name: getattr(unit, name) for name in _PLAIN},
        "votes": [{"category": c, "votes": n} for c, n in unit.vote.votes.items()],
        "tied": list(unit.vote.tied),
        "tied_spans": [list(s) for s in unit.tied_spans],
        "reasons": list(unit.reasons),
        "text": unit.text,
        "units": {name: None if u is None else u.json for name, u in unit.units.items()},
    }
