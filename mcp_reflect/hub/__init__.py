"""One owner process per home, and the shim through which every client reaches it.

`shim`, `relay`, `client_end`, `election`, `address` and `frame` run in what a client starts, `caller` and `carriers` in
programs: standard library only, and little of it. `owner`, `session`, `listening`, `lines`, `welcome`, `status` and
`maintenance` run in the hub. Importing this package imports none of them.
"""
