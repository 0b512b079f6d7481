"""gaia as a service of the machine: what it tells its service manager while it runs, and how
it is installed there, removed and looked at.
"""
