"""Measures of several documents together: `measuring` sums their counts and applies one formula.

The result is a `score.CorpusScore`. `measured_documents` are the documents and their counts;
`chance`, `intervals` and `remarks` add what its name says.
"""
