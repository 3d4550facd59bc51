"""Doors for users of other tools: their interfaces with gammacp's alignments behind them."""
