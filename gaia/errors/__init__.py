"""Every error that gaia raises on purpose, as one tree.

    GaiaError
    ├── SettingsError          gaia.yaml or the environment is wrong (exit 78)
    ├── HomeError              the home folder cannot be used
    ├── AlreadyRunningError    another daemon owns the home (exit 3)
    ├── NotRunningError        no daemon answers (exit 3)
    ├── RefusedError           the daemon turned a terminal client away
    ├── WireError              a terminal client and the daemon do not understand each other
    ├── AnswerError            the daemon answers a query with an error
    ├── OutputError            a reply cannot be written to standard output
    ├── ListenError            a port or socket cannot be listened on
    ├── ServiceError           gaia cannot be installed as a service, or removed
    ├── StoreError             a database cannot be read or written
    │   └── NewerStoreError    a database was written by a newer gaia
    ├── UnknownUserError       no user goes by that name or id
    ├── AmbiguousUserError     no user is named where there are several (exit 2)
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
    │       │   └── ModelUnreachableError  nothing answers at its address
    │       ├── ModelTimeoutError       it took longer than `model.timeout_seconds`
    │       ├── ModelRefusedError       it will not answer this request
    │       │   ├── ModelBlockedError   the words are refused
    │       │   ├── ModelTooLongError   one message is longer than it reads at once
    │       │   └── ModelRejectedError  it would answer none: the key, its name or its address
    │       │       └── ModelUnpaidError   money or a quota is used up
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

from gaia.errors.base import (
    GaiaError,
)
from gaia.errors.memories import (
    CredentialError,
    ForgottenError,
    IndexDamagedError,
    IndexUnavailableError,
    LearningOffError,
    MemoryFileError,
    MissingOwnerError,
    UnfitMemoryError,
    UnknownForgetError,
    UnknownMemoryError,
    UnknownPeriodError,
)
from gaia.errors.models import (
    InVainError,
    ModelBlockedError,
    ModelError,
    ModelFileError,
    ModelFruitlessError,
    ModelMissingError,
    ModelRefusedError,
    ModelRejectedError,
    ModelTimeoutError,
    ModelTooLongError,
    ModelUnavailableError,
    ModelUnpaidError,
    ModelUnreachableError,
    UnusableExtractionError,
)
from gaia.errors.people import (
    AddressTakenError,
    AmbiguousUserError,
    GroupUserError,
    LastOwnerError,
    UnknownAddressError,
    UnknownChunkError,
    UnknownCodeError,
    UnknownSessionError,
    UnknownUserError,
    UserNameError,
    UserNameTakenError,
)
from gaia.errors.providers import (
    AttachmentError,
    PermanentSendError,
    ProviderRefusedError,
    RetryableSendError,
    SendError,
    UnknownSendError,
    UnreachableError,
    UnsignedError,
)
from gaia.errors.running import (
    AlreadyRunningError,
    AnswerError,
    BackupBusyError,
    BackupDamagedError,
    BackupError,
    HomeError,
    ListenError,
    Mistake,
    NewerStoreError,
    NotRunningError,
    OutputError,
    PassphraseError,
    RefusedError,
    ServiceError,
    SettingsError,
    StoreError,
    UpkeepError,
    WireError,
)

__all__ = [
    "AddressTakenError",
    "AlreadyRunningError",
    "AmbiguousUserError",
    "AnswerError",
    "AttachmentError",
    "BackupBusyError",
    "BackupDamagedError",
    "BackupError",
    "CredentialError",
    "ForgottenError",
    "GaiaError",
    "GroupUserError",
    "HomeError",
    "InVainError",
    "IndexDamagedError",
    "IndexUnavailableError",
    "LastOwnerError",
    "LearningOffError",
    "ListenError",
    "MemoryFileError",
    "MissingOwnerError",
    "Mistake",
    "ModelBlockedError",
    "ModelError",
    "ModelFileError",
    "ModelFruitlessError",
    "ModelMissingError",
    "ModelRefusedError",
    "ModelRejectedError",
    "ModelTimeoutError",
    "ModelTooLongError",
    "ModelUnavailableError",
    "ModelUnpaidError",
    "ModelUnreachableError",
    "NewerStoreError",
    "NotRunningError",
    "OutputError",
    "PassphraseError",
    "PermanentSendError",
    "ProviderRefusedError",
    "RefusedError",
    "RetryableSendError",
    "SendError",
    "ServiceError",
    "SettingsError",
    "StoreError",
    "UnfitMemoryError",
    "UnknownAddressError",
    "UnknownChunkError",
    "UnknownCodeError",
    "UnknownForgetError",
    "UnknownMemoryError",
    "UnknownPeriodError",
    "UnknownSendError",
    "UnknownSessionError",
    "UnknownUserError",
    "UnreachableError",
    "UnsignedError",
    "UnusableExtractionError",
    "UpkeepError",
    "UserNameError",
    "UserNameTakenError",
    "WireError",
]
