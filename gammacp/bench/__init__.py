"""Sweeps over errors and magnitudes: cells, their store, executors, tables and figures.

A sweep stresses measures with the Corpus Shuffling Tool (2015 §6.3). Its cells are computed
alone, each from its own random stream, and kept one by one in a store, so that a sweep can be
stopped, resumed, extended, spread over machines and merged without changing a bit.
"""
