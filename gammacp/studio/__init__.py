"""The studio: a local web page to upload exports, review disagreements and get a gold standard."""
