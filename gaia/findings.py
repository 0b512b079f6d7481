"""What `gaia doctor` looks at, and what it finds: plain values.

Each part of gaia and each channel says what there is to look at, as a `Check`;
`gaia.ops.doctor.checks` goes through them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gaia.errors import GaiaError, SettingsError


class Outcome(StrEnum):
    """How something is. `FIXED` was not well, and is now. `SKIPPED` was not looked at, since
    it would have told nothing."""

    OK = "ok"
    FIXED = "fixed"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


Heard = Callable[[str, str], None]
"""Takes a host that was asked anyway, and what time it says it is: the `Date` of its answer."""

Mend = Callable[[], Awaitable[str]]
"""Mends one thing without a question and without a loss, and says what it did. It may be
called again. Raises a `GaiaError` or an `OSError` when it cannot."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, for the owner. Holds no secret and no word of a message.

    `remedy` says what to do, in whole sentences; it is empty where nothing is to be done.
    `mend` does it, where that needs no thinking.
    """

    outcome: Outcome
    detail: str
    remedy: str = ""
    mend: Mend | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at. `name` is unique and has the form "subject" or "channel subject".

    `look` tells one finding or more. It raises nothing that can be foreseen, asks nobody
    but whom the settings name, and changes nothing: what can be mended is mended by the
    finding's own `mend`, if the owner wishes. `needs` names checks that stand
    before this one: if one of them failed, or was skipped, this one is skipped.
    """

    name: str
    look: Callable[[], Awaitable[Sequence[Finding]]]
    needs: tuple[str, ...] = ()


def ok(detail: str) -> Finding:
    """All is as it should be."""
    return Finding(Outcome.OK, detail)


def warning(detail: str, remedy: str = "", mend: Mend | None = None) -> Finding:
    """It works, and the owner should know something of it."""
    return Finding(Outcome.WARNING, detail, remedy, mend)


def failed(detail: str, remedy: str, mend: Mend | None = None) -> Finding:
    """It does not work."""
    return Finding(Outcome.FAILED, detail, remedy, mend)


def skipped(detail: str) -> Finding:
    """It was not looked at."""
    return Finding(Outcome.SKIPPED, detail)


def failures(exc: GaiaError) -> Sequence[Finding]:
    """What an error of gaia's tells: each mistake in the settings, or the one fault.

    The message of an error ends with its remedy, behind its last colon.
    """
    if isinstance(exc, SettingsError) and exc.mistakes:
        return [failed(each.complaint, f"{each.remedy}.") for each in exc.mistakes]
    detail, colon, remedy = str(exc).rpartition(": ")
    if not colon:
        return [failed(remedy, "")]
    return [failed(detail, f"{remedy[:1].upper()}{remedy[1:]}.")]
