"""Calls as data: a program's values made to fit the tools' arguments, and answers read into results."""
