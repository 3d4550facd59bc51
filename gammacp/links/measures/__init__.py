"""Agreement on links and chains between units: what alignments of units say of them."""
