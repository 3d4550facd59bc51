"""Packing of columns: the problem, its solution by CP-SAT and by HiGHS, and the first of ties."""
