"""The tools: each its name, its words, the model of its requests, and the function that answers one."""
