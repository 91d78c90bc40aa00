"""Command lines as text: their form, words and effects. Nothing here knows of the step of a run that they stand in."""
