"""Sentences of a run or a lesson: split, told from chatter, weighed as evidence, and chosen within a budget."""
