"""What many runs have in common: observations, importance, merging."""
