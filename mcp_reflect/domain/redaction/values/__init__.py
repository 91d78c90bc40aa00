"""Judgement of a value by itself: a placeholder, a word, code, or random text."""
