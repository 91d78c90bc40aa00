"""One file per format of past sessions whose writer calls no hooks. Each implements past_sessions.SessionFormat."""
