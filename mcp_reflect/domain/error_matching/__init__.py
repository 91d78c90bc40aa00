"""When two error texts are the same error, and the file format that errors are kept in."""
