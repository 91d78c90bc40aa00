"""Commands that look: lists, one record whole, figures, and where a memory comes from."""
