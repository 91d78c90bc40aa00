"""Trajectories of any supported shape, parsed into messages, tool calls and error lines."""
