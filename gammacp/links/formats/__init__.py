"""Readers of file formats with links."""
