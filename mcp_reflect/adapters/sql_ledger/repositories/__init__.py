"""The repositories of a session, by what they keep: traces, memories, reviews, jobs, retrievals and the rest."""
