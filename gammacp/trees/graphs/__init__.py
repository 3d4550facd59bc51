"""Semantic graphs: their triples, the best matching of two, and their agreement."""
