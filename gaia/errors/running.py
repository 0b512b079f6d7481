"""What keeps gaia from running, or an owner from running it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gaia.errors.base import GaiaError


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


class AnswerError(GaiaError):
    """What the daemon answered a query with in place of what was asked for, and its exit
    code."""

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
    """A database under the home cannot be read or written."""


class NewerStoreError(StoreError):
    """A database was written by a newer version of gaia."""


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
