"""Steps after the number: who agrees with whom, what a value means, a gold standard."""
