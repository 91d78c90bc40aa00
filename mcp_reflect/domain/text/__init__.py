"""Text as the memory reads and writes it: terms, lexical index, query condensation, rendering."""
