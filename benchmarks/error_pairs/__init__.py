"""Outputs of real tools that failed: each error again under other conditions, and another error of the same shape."""
