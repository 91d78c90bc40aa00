"""A run as lessons read it: its steps and what was said, what calls and commands did, and what of it stayed."""
