"""Backups: one file that has what a home cannot be without, and what becomes of it.

`create` writes one, `verify` looks whether it is what was written, `restore` makes a home of
it, and `backups` has those of a gaia that runs: one each night, and none that holds what
somebody had forgotten.
"""
