"""Chance models: random annotation sets, and how many of them."""
