"""mcp-reflect: a memory of reflections for agents that learn from their own runs.

Importing the package imports nothing heavy; the pieces are imported where they are used.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
