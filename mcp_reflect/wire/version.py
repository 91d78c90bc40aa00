"""The version of the package, which every connection names."""

__version__ = "0.1.0"
