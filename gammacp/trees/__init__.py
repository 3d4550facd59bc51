"""Agreement on syntax (Skjærholt 2014): treebanks, tree edit distance, α over trees, LAS."""
