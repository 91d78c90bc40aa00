"""A project's rows out of one ledger and into another, and the check of a database that somebody handed over."""
