"""Comparison of two lessons by their words: the same, contradicting, or the later one amending the earlier."""
