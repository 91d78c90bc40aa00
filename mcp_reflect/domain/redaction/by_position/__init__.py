"""Secrets recognised by their position: arguments of commands, of calls that log in, and pipes."""
