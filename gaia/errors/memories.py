"""Memories, and the index by which they are found."""

from __future__ import annotations

from gaia.errors.base import GaiaError


class MissingOwnerError(GaiaError):
    """A memory was to be read, written or deleted, and nobody said whose: a mistake in
    gaia, since each of them belongs to one user."""


class UnknownMemoryError(GaiaError):
    """The user has no memory of that number."""


class UnfitMemoryError(GaiaError):
    """The text cannot be a memory: it is empty or too long."""


class CredentialError(UnfitMemoryError):
    """The text looks like a key, a password or a card number, which gaia does not keep."""


class ForgottenError(UnfitMemoryError):
    """The user had it forgotten, and has not said it again since."""


class UnknownForgetError(GaiaError):
    """No wish to forget of that user and number waits for a yes: mistyped, carried out,
    replaced by a newer one, or too old."""


class UnknownPeriodError(GaiaError):
    """What was written is no day, month or year, or ends before it begins."""


class MemoryFileError(GaiaError):
    """A file of memories cannot be read or written, or holds what cannot be taken."""


class LearningOffError(GaiaError):
    """`memory.enabled` or `memory.auto_ingest` is false."""


class IndexUnavailableError(GaiaError):
    """The vector index, or the embedder that it needs, does not work at the moment."""


class IndexDamagedError(IndexUnavailableError):
    """The vectors are missing, incomplete or cannot be read: they have to be made anew."""
