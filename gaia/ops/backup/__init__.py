"""Backups: one file that has what a home cannot be without, and what becomes of it.

`making` writes one, `verifying` looks whether it is what was written, `restoring` makes a
home of it, `keeping` decides how long those that gaia made by itself are kept, and
`outdated` what becomes of them when somebody has something forgotten.
"""
