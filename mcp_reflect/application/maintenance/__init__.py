"""What is done to a whole memory: check and mend it, take it elsewhere, keep a copy, forget, find better words."""
