"""Every error that gaia raises on purpose, as one tree.

    GaiaError
    ├── SettingsError          gaia.yaml or the environment is wrong (exit 78)
    ├── HomeError              the home folder cannot be used
    ├── AlreadyRunningError    another daemon owns the home (exit 3)
    ├── NotRunningError        no daemon answers (exit 3)
    ├── RefusedError           the daemon turned a terminal client away
    ├── WireError              a terminal client and the daemon do not understand each other
    ├── OutputError            a reply cannot be written to standard output
    ├── ListenError            a port or socket cannot be listened on
    ├── ServiceError           gaia cannot be installed as a service, or removed
    ├── StoreError             a database cannot be read or written
    │   └── NewerStoreError    a database was written by a newer gaia
    ├── UnknownUserError       no user goes by that name or id
    ├── UserNameError          the name cannot be a person's
    │   └── UserNameTakenError      two people cannot share a name
    ├── AddressTakenError      the address belongs to another user
    ├── UnknownAddressError    the address belongs to nobody
    ├── GroupUserError         a group cannot be what only a person can
    ├── UnknownCodeError       no pairing code or request that waits is that
    ├── LastOwnerError         gaia would be left without an owner
    ├── BackupError            a backup cannot be made, read or restored
    │   ├── BackupBusyError        another one is being made
    │   ├── BackupDamagedError     it is not what was written, or never was a backup
    │   └── PassphraseError        it is encrypted, and the passphrase is missing or wrong
    ├── UpkeepError            a part of the daily upkeep failed
    ├── UnknownSessionError    no session goes by that id
    ├── UnknownChunkError      no chunk of that id was given up
    ├── MissingOwnerError      a memory was asked for without saying whose
    ├── UnknownMemoryError     the user has no memory of that number
    ├── UnfitMemoryError       the text cannot be a memory
    │   ├── CredentialError        it looks like a key, a password or a card number
    │   └── ForgottenError         the user had it forgotten
    ├── UnknownForgetError     no wish to forget waits for a yes
    ├── UnknownPeriodError     what was written is no day, month or year
    ├── MemoryFileError        a file of memories cannot be read, taken or written
    ├── LearningOffError       gaia is set not to learn by itself
    ├── IndexUnavailableError  the vector index, or its embedder, does not work
    │   └── IndexDamagedError      its files are missing or cannot be read
    ├── InVainError            a model was asked, and gave nothing that can be used
    │   ├── UnusableExtractionError  what it found in a conversation is not what was asked for
    │   └── ModelError              it gave no answer
    │       ├── ModelUnavailableError   it may answer when asked again
    │       ├── ModelTimeoutError       it took longer than `model.timeout_seconds`
    │       ├── ModelRefusedError       it will not answer this request
    │       │   └── ModelRejectedError  it would answer none: the key, its name or the account
    │       ├── ModelFruitlessError     it answered, and there is no answer in it
    │       └── ModelMissingError       no model is installed or configured (exit 78)
    ├── ModelFileError         a model's file cannot be fetched or removed
    ├── ProviderRefusedError   a provider does not take the key or token that it was given (exit 4)
    ├── AttachmentError        the content of an attachment cannot be had
    ├── UnsignedError          a request is not its provider's
    └── SendError              a channel did not take a message
        ├── RetryableSendError      not sent; try again after a while
        ├── UnreachableError        not sent; nobody listens at the moment
        ├── PermanentSendError      not sent; it never will be
        └── UnknownSendError        nobody can tell whether it was sent

A message names the thing, the value and the remedy, and may be shown to the
owner. None of them is shown to a person in a chat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class GaiaError(Exception):
    """The base of all errors that gaia raises on purpose."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that is wrong in a configuration file, and how to mend it.

    `key` is a dotted path, or empty when the file as a whole is meant; `line`
    and `column` count from 1. Never holds a secret.
    """

    file: str
    line: int | None
    column: int | None
    key: str
    problem: str
    remedy: str

    @property
    def complaint(self) -> str:
        """What is wrong and where, without the remedy."""
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        if self.column is not None:
            place += f", column {self.column}"
        said = f"{self.key} {self.problem}" if self.key else self.problem
        return f"{place}: {said}"

    def __str__(self) -> str:
        return f"{self.complaint}. {self.remedy}"


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


class OutputError(GaiaError):
    """A reply cannot be written to standard output: full disk, closed pipe."""


class ListenError(GaiaError):
    """A port or a socket cannot be listened on."""


class ServiceError(GaiaError):
    """gaia cannot be installed as a service of this machine, asked for as one, or removed."""


class StoreError(GaiaError):
    """A database under the home cannot be read or written."""


class NewerStoreError(StoreError):
    """A database was written by a newer version of gaia."""


class UnknownUserError(GaiaError):
    """No user goes by that name or id."""


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


class UnknownSessionError(GaiaError):
    """No session goes by that id."""


class UnknownChunkError(GaiaError):
    """No chunk in the outbox goes by that id, or it was not given up."""


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


class UnknownPeriodError(GaiaError):
    """What was written is no day, month or year, or ends before it begins."""


class UnknownForgetError(GaiaError):
    """No wish to forget of that user and number waits for a yes: mistyped, carried out,
    replaced by a newer one, or too old."""


class MemoryFileError(GaiaError):
    """A file of memories cannot be read or written, or holds what cannot be taken."""


class LearningOffError(GaiaError):
    """`memory.enabled` or `memory.auto_ingest` is false."""


class IndexUnavailableError(GaiaError):
    """The vector index, or the embedder that it needs, does not work at the moment."""


class IndexDamagedError(IndexUnavailableError):
    """The vectors are missing, incomplete or cannot be read: they have to be made anew."""


class InVainError(GaiaError):
    """A model was asked, and gave nothing that can be used. `tokens_in` and `tokens_out`
    are what its provider counted all the same, as far as it told."""

    tokens_in: int = 0
    tokens_out: int = 0


class UnusableExtractionError(InVainError):
    """What a model found in a conversation is not what was asked for: no JSON, another
    shape, nothing at all. The message holds no word of the conversation."""


class ModelError(InVainError):
    """The model gave no answer.

    `bare` is the message without the provider's own words, which may quote what it was
    sent: for what is kept, or logged when nobody waits for it to be forgotten.
    """

    def __init__(self, message: str, *, bare: str | None = None) -> None:
        super().__init__(message)
        self.bare = message if bare is None else bare


class ModelUnavailableError(ModelError):
    """The model did not answer, for a cause that may pass: 429, 5xx, network."""


class ModelTimeoutError(ModelError):
    """The model took longer than `model.timeout_seconds`, retries included."""


class ModelRefusedError(ModelError):
    """The model will not answer this request: blocked, too long, not understood."""


class ModelRejectedError(ModelRefusedError):
    """The host takes no request: the key, the model's name or the account is at
    fault. Only the owner can mend that."""


class ModelFruitlessError(ModelError):
    """The model answered with nothing, or with tool calls without end."""


class ModelMissingError(ModelError):
    """No model is installed or configured. Only the owner can mend that."""

    exit_code = SettingsError.exit_code


class ModelFileError(GaiaError):
    """The file of an embedded model cannot be fetched or removed."""


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
