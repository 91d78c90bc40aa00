"""One owner process per home, and the shim through which every client reaches it.

`shim`, `election`, `address` and `frame` run in what a client starts: standard library only, and little of it.
`owner`, `session`, `maintenance` run in the hub. Importing this package imports none of them.
"""
