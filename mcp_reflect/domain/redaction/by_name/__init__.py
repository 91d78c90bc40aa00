"""Secrets recognised by the name that they are given to, whatever stands between the two."""
