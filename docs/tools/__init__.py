"""Scripts behind the documents; each is run as `python -m docs.tools.NAME`, from the top of the repository.

`generate` writes the tables and the import graph, `argument_path` traces calls, `screenshot` takes the picture.
"""
