"""The root of the tree."""

from __future__ import annotations


class GaiaError(Exception):
    """The base of all errors that gaia raises on purpose."""

    exit_code = 1
