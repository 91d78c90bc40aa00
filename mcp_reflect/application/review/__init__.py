"""What a review stores and moves: credit, the lesson and its claims, and lessons that say the same."""
