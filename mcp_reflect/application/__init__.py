"""The use cases and the ports they need. Every rule that takes more than one pure function lives here."""
