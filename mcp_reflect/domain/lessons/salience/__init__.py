"""Salience: which passages of a run most likely hold what the next run needs."""
