"""Agreement on links between units and on chains, beyond their measures.

`report.link_report` computes all that `gammacp links` prints: γ of units, of links and of chains,
each also given the units, the scores of coreference per pair of annotators, and what differs.
"""
