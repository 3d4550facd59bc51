"""Pricing: groups that gain more than their units' prices, exactly or next to an alignment."""
