"""Measurements that stand behind numbers in the code and the documents; each is a module to run with `python -m`."""
