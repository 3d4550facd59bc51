"""May a system stand in for a person? The alternative annotator test, for spans and labels."""

from gammacp.campaign.replace.inference import equivalence, exact_test, rejected, t_test
from gammacp.campaign.replace.replacement import (
    EPSILON,
    AgainstPerson,
    Candidacy,
    Replacement,
    replace,
)
from gammacp.campaign.replace.scores import SCORES, Instance, Scoring, pairwise_score
from gammacp.campaign.replace.verdict import Verdict, enough_documents, power
from gammacp.campaign.replace.wins import Wins, wins_of

__all__ = [
    "EPSILON",
    "SCORES",
    "AgainstPerson",
    "Candidacy",
    "Instance",
    "Replacement",
    "Scoring",
    "Verdict",
    "Wins",
    "enough_documents",
    "equivalence",
    "exact_test",
    "pairwise_score",
    "power",
    "rejected",
    "replace",
    "t_test",
    "wins_of",
]
