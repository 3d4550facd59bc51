"""From a best alignment to a gold standard: votes, consensus, review list."""

from gammacp.campaign.consensus.consensus import (
    Consensus,
    ConsensusUnit,
    consensus,
    consensus_of_groups,
)
from gammacp.campaign.consensus.several import CorpusConsensus, consensus_of_each
from gammacp.campaign.consensus.votes import BoundaryRule, CategoryVote, needed_support

__all__ = [
    "BoundaryRule",
    "CategoryVote",
    "Consensus",
    "ConsensusUnit",
    "CorpusConsensus",
    "consensus",
    "consensus_of_each",
    "consensus_of_groups",
    "needed_support",
]
