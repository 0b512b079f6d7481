"""Providers of channels, and what a channel could not do."""

from __future__ import annotations

from gaia.errors.base import GaiaError


class ProviderRefusedError(GaiaError):
    """A provider was asked, and does not take the key or the token. Holds nothing of it."""

    exit_code = 4


class AttachmentError(GaiaError):
    """The content of a file that came with a message cannot be had: it is too
    large, gone, or the provider does not give it."""


class UnsignedError(GaiaError):
    """A request to a hook cannot be told to be the provider's: it is not signed, or
    not as it should be. The message says why, and has nothing of the request."""


class SendError(GaiaError):
    """A channel did not take an outbound message."""


class RetryableSendError(SendError):
    """The message was not sent and may be sent after `after_seconds`."""

    def __init__(self, message: str, *, after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.after_seconds = after_seconds


class UnreachableError(SendError):
    """The message was not sent: it waits until the channel says `reachable`.

    `asked` says that the person was asked to write, so that it is not done again.
    `contact_lost` says that their last message does not count, or not any more.
    """

    def __init__(self, message: str, *, asked: bool = False, contact_lost: bool = False) -> None:
        super().__init__(message)
        self.asked = asked
        self.contact_lost = contact_lost


class PermanentSendError(SendError):
    """The message was not sent and never can be: blocked, chat deleted."""


class UnknownSendError(SendError):
    """The message may or may not have been sent: the answer was lost."""
