"""From a reviewed trace to the text of a memory, and from a model's answer to its fields."""
