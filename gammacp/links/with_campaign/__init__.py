"""Links in comparisons, gold standards and replacement tests of the subject campaign."""
