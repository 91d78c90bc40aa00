"""One run of an agent as a program tells it: its messages, its end, and its submission."""
