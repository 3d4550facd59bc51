"""Experiments of the papers, one file each; run them with `gammacp reproduce NAME`."""
