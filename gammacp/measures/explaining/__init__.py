"""Explanations of γ: its disorder divided by cause, annotator and document.

`explanation` is the result; `cost_shares` says who bears a cost, `variance_components` how much
documents and annotators vary, and `pair_rows` lists the single costs.
"""
