"""Reflections: parsing of model answers, composition of memories, and their texts for embedding and search."""
