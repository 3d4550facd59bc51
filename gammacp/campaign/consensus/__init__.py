"""From a best alignment to a gold standard: votes, consensus, review list."""

from gammacp.campaign.consensus.consensus import (
    Consensus,
    ConsensusUnit,
    consensus,
    to_be_reviewed,
)
from gammacp.campaign.consensus.deciding import WEIGHTS, Belief
from gammacp.campaign.consensus.reliability import Reliability, reliability
from gammacp.campaign.consensus.several import CorpusConsensus, consensus_of_each
from gammacp.campaign.consensus.soft import soft_labels
from gammacp.campaign.consensus.votes import BoundaryRule, CategoryVote, needed_support
from gammacp.campaign.consensus.weighing import AnnotatorQuality, Truth

__all__ = [
    "WEIGHTS",
    "AnnotatorQuality",
    "Belief",
    "BoundaryRule",
    "CategoryVote",
    "Consensus",
    "ConsensusUnit",
    "CorpusConsensus",
    "Reliability",
    "Truth",
    "consensus",
    "consensus_of_each",
    "needed_support",
    "reliability",
    "soft_labels",
    "to_be_reviewed",
]
