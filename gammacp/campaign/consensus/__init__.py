"""Make gold standards from best alignments: votes, consensus and review list."""

from gammacp.campaign.consensus.consensus import (
    Consensus,
    ConsensusUnit,
    gold_of,
    to_be_reviewed,
)
from gammacp.campaign.consensus.either import consensus
from gammacp.campaign.consensus.reliability import Reliability, reliability
from gammacp.campaign.consensus.several import Belief, CorpusConsensus, consensus_of_each
from gammacp.campaign.consensus.soft import soft_labels
from gammacp.campaign.consensus.weighing import AnnotatorQuality

__all__ = [
    "AnnotatorQuality",
    "Belief",
    "Consensus",
    "ConsensusUnit",
    "CorpusConsensus",
    "Reliability",
    "consensus",
    "consensus_of_each",
    "gold_of",
    "reliability",
    "soft_labels",
    "to_be_reviewed",
]
