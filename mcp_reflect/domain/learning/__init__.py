"""Learning from reviews: q_value update, credit assignment, confidence bounds, pruning, statistics by task."""
