"""Every error that gaia raises on purpose, as one tree.

    GaiaError
    ├── SettingsError, HomeError, AlreadyRunningError, NotRunningError, RefusedError, WireError,
    │   AnswerError, OutputError, ListenError, ServiceError, UpkeepError
    ├── StoreError ── NewerStoreError, VanishedError
    ├── BackupError ── BackupBusyError, BackupDamagedError, PassphraseError
    ├── UnknownUserError, AmbiguousUserError, AddressTakenError, UnknownAddressError,
    │   GroupUserError, UnknownCodeError, LastOwnerError, UnknownSessionError, UnknownChunkError
    ├── UserNameError ── UserNameTakenError
    ├── MissingOwnerError, UnknownMemoryError, UnknownForgetError, UnknownTimeError,
    │   LearningOffError, MemoryFileError ── FolderEditedError
    ├── UnfitMemoryError ── CredentialError, ForgottenError
    ├── IndexUnavailableError ── IndexDamagedError
    ├── FailedCallError
    │   ├── UnusableExtractionError
    │   └── ModelError
    │       ├── ModelUnavailableError ── ModelUnreachableError
    │       ├── ModelTimeoutError, ModelMissingError
    │       ├── ModelFruitlessError ── EndlessAnswerError
    │       └── ModelRefusedError ── ModelBlockedError, ModelTooLongError
    │           └── ModelRejectedError ── ModelUnpaidError
    ├── ModelFileError, ProviderRefusedError, AttachmentError, UnsignedError
    └── SendError ── RetryableSendError, UnreachableError, PermanentSendError, UnknownSendError

A message names the thing, the value and the remedy, and may be shown to the owner. None of
them is shown to a person in a chat.
"""

from __future__ import annotations

from collections.abc import Sequence

from gaia.mistakes import Mistake


class GaiaError(Exception):
    """The base of all errors that gaia raises on purpose."""

    exit_code = 1


class SettingsError(GaiaError):
    """The configuration is wrong. 78 is EX_CONFIG of sysexits.h."""

    exit_code = 78

    def __init__(self, message: str, mistakes: Sequence[Mistake] = ()) -> None:
        super().__init__(message)
        self.mistakes = tuple(mistakes)

    @classmethod
    def of(cls, mistakes: Sequence[Mistake]) -> SettingsError:
        """The error that tells all of the mistakes, a line each."""
        count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        lines = [f"  {mistake}" for mistake in mistakes]
        return cls("\n".join([f"{count} in the configuration:", *lines]), mistakes)


class HomeError(GaiaError):
    """The home folder is missing, not writable, or not a folder."""


class AlreadyRunningError(GaiaError):
    """Another daemon owns this home."""

    exit_code = 3


class NotRunningError(GaiaError):
    """No daemon answers on the control socket of this home."""

    exit_code = 3


class RefusedError(GaiaError):
    """The daemon turned a terminal client, or its message, away."""


class WireError(GaiaError):
    """A frame on the local socket cannot be read."""


class AnswerError(GaiaError):
    """The daemon answered a query with an error. It has that one's exit code."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class OutputError(GaiaError):
    """A reply cannot be written to standard output: full disk, closed pipe."""


class ListenError(GaiaError):
    """A port or a socket cannot be listened on."""


class ServiceError(GaiaError):
    """gaia cannot be installed as a service of this machine, asked for as one, or removed."""


class StoreError(GaiaError):
    """A home's database cannot be read or written."""


class NewerStoreError(StoreError):
    """A database was written by a newer version of gaia."""


class VanishedError(StoreError):
    """A file that gaia has open was removed or replaced: what is written would be lost."""


class BackupError(GaiaError):
    """A backup cannot be made, read or restored."""


class BackupBusyError(BackupError):
    """Another backup of this home is being made."""


class BackupDamagedError(BackupError):
    """A backup is not what was written, or never was one. `troubles` are told one by one."""

    def __init__(self, message: str, troubles: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.troubles = tuple(troubles)


class PassphraseError(BackupError):
    """A backup is encrypted, and the passphrase is missing or wrong."""


class UpkeepError(GaiaError):
    """Parts of the daily upkeep failed; the others were done."""


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


class MissingOwnerError(GaiaError):
    """Nobody said whose memory is to be read, written or deleted: a mistake in gaia."""


class UnknownMemoryError(GaiaError):
    """The user has no memory of that number."""


class UnfitMemoryError(GaiaError):
    """The text cannot be a memory: it is empty or too long."""


class CredentialError(UnfitMemoryError):
    """The text looks like a key, a password or a card number, which gaia does not keep."""


class ForgottenError(UnfitMemoryError):
    """The user had it forgotten, and has not said it again since."""


class UnknownForgetError(GaiaError):
    """No wish to forget of that user and number waits for a yes, or not any more."""


class UnknownTimeError(GaiaError):
    """What was written is no day, month, year or time zone, or ends before it begins."""


class MemoryFileError(GaiaError):
    """A file of memories cannot be read or written, or holds what cannot be taken."""


class FolderEditedError(MemoryFileError):
    """Somebody edited a folder of memories while it was about to be written."""


class LearningOffError(GaiaError):
    """`memory.enabled` or `memory.auto_ingest` is false."""


class IndexUnavailableError(GaiaError):
    """The vector index, or the embedder that it needs, does not work at the moment."""


class IndexDamagedError(IndexUnavailableError):
    """The vectors are missing, incomplete or cannot be read: they have to be rebuilt."""


class FailedCallError(GaiaError):
    """A model was asked, and gave nothing of use. Its provider may count tokens all the same."""

    tokens_in: int = 0
    tokens_out: int = 0


class UnusableExtractionError(FailedCallError):
    """What a model found in a conversation cannot be read. Holds no word of that one."""


class ModelError(FailedCallError):
    """The model gave no answer.

    `bare` is the message without the provider's words, which may quote what it was sent: for
    the log. `remedy` tells an owner which setting is at fault."""

    def __init__(self, message: str, *, bare: str | None = None, remedy: str = "") -> None:
        super().__init__(message)
        self.bare = message if bare is None else bare
        self.remedy = remedy


class ModelUnavailableError(ModelError):
    """The model did not answer, for a cause that may pass: 429, 5xx, network."""


class ModelUnreachableError(ModelUnavailableError):
    """Nothing answers at the model's address, and nothing will soon."""


class ModelTimeoutError(ModelError):
    """The model took longer than `model.timeout_seconds`, retries included."""


class ModelRefusedError(ModelError):
    """The model will not answer this request, for a cause that its host does not name."""


class ModelBlockedError(ModelRefusedError):
    """The model will not answer these words: a filter or a rule is against them."""


class ModelTooLongError(ModelRefusedError):
    """One message, with what belongs to it, is longer than the model reads at once."""


class ModelRejectedError(ModelRefusedError):
    """The host takes no request, for its key, name or address. Only the owner can mend that."""


class ModelUnpaidError(ModelRejectedError):
    """The host takes no request until it is paid, or a quota begins again."""


class ModelFruitlessError(ModelError):
    """The model answered with nothing, or with tool calls without end."""


class EndlessAnswerError(ModelFruitlessError):
    """The model's host sent more than any answer has."""


class ModelMissingError(ModelError):
    """No model is installed or configured. Only the owner can mend that."""

    exit_code = SettingsError.exit_code


class ModelFileError(GaiaError):
    """The file of an embedded model cannot be fetched or removed."""


class ProviderRefusedError(GaiaError):
    """A provider was asked, and does not take the key or the token. Holds nothing of it."""

    exit_code = 4


class AttachmentError(GaiaError):
    """The file of a message is too large, or gone, or the provider does not give it."""


class UnsignedError(GaiaError):
    """A request to a hook is not signed as its provider does it. Holds nothing of it."""


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
    `contact_lost` says that their last message does not count, or not any more."""

    def __init__(self, message: str, *, asked: bool = False, contact_lost: bool = False) -> None:
        super().__init__(message)
        self.asked = asked
        self.contact_lost = contact_lost


class PermanentSendError(SendError):
    """The message was not sent and never can be: blocked, chat deleted."""


class UnknownSendError(SendError):
    """The message may or may not have been sent: the answer was lost."""
