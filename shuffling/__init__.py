"""The Corpus Shuffling Tool (Mathet et al. 2012; Mathet, Widlöcher & Métivier 2015, §6.3)."""
