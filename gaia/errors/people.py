"""Users, addresses and codes, and what is theirs by number."""

from __future__ import annotations

from gaia.errors.base import GaiaError


class UnknownUserError(GaiaError):
    """No user goes by that name or id."""


class AmbiguousUserError(GaiaError):
    """No user is named where there are several."""

    exit_code = 2


class UserNameError(GaiaError):
    """The name cannot be a person's: empty, too long, or taken for something else."""


class UserNameTakenError(UserNameError):
    """The name belongs to another user already."""


class AddressTakenError(GaiaError):
    """The address belongs to another user already."""


class UnknownAddressError(GaiaError):
    """The address belongs to nobody."""


class GroupUserError(GaiaError):
    """A group cannot be what only a person can: an owner, or one with more addresses."""


class UnknownCodeError(GaiaError):
    """Nothing waits under that code or number: mistyped, used, or too old."""


class LastOwnerError(GaiaError):
    """The change would leave gaia without an owner."""


class UnknownSessionError(GaiaError):
    """No session goes by that id."""


class UnknownChunkError(GaiaError):
    """No chunk in the outbox goes by that id, or it was not given up."""
