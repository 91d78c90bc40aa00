"""Is everything as it should be, and if not: what is wrong, and which command mends it.

Each check stands alone and has a time limit, so that a broken home, a wrong setting or a hub that hangs is told beside
the rest and never ends the examination. Nothing is created, started or changed.
"""
