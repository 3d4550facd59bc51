"""Values of trees (Skjærholt 2014): annotations, tree edit distance, α, accuracies."""
