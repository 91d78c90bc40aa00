"""What a run has to teach, extracted without a model: decisions, corrections, repairs, commands that worked."""
