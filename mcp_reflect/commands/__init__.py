"""Commands for people: what they take, what they show, and nothing else."""
