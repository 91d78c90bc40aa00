"""How reviews move memories: the q_value update, credit assignment, confidence, pruning, statistics by task."""
