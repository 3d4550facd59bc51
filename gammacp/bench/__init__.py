"""Sweeps over error magnitudes: cells, store, executors, figures."""
