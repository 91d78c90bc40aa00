"""Reviews: credit, the lesson and its claims, and lessons that say the same."""
