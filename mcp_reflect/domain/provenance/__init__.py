"""Where the words of a lesson come from, and which of them may stand in it: taint tracking of a run's texts."""
