"""Links in comparisons, gold standards and scores of stand-ins, for the subject campaign."""
