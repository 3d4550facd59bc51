"""with_campaign."""
