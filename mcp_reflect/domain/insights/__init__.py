"""Insights into many runs: observations, importance, merging."""
