"""Runs checks in their order, and leaves out those that would tell nothing."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from gaia.errors import GaiaError
from gaia.findings import Check, Finding, Outcome, failed, failures, skipped

logger = logging.getLogger(__name__)

OFFER = "'gaia doctor --fix' fixes it."


@dataclass(frozen=True, slots=True)
class Examined:
    """A check that was run or left out, and what it found."""

    check: str
    findings: Sequence[Finding]

    def has(self, *outcomes: Outcome) -> bool:
        """Whether one of its findings is of that kind."""
        return any(finding.outcome in outcomes for finding in self.findings)


async def examine(
    checks: Iterable[Check],
    begins: Callable[[Check], None],
    redact: Callable[[str], str] = str,
    *,
    fix: bool = False,
) -> AsyncIterator[Examined]:
    """What each check finds, as soon as it has. `begins` is told of one before it runs.

    With `fix`, what can be mended is mended before the next check runs. One that fails in
    an unforeseen way is a finding as well, and the others go on. What was found may quote
    whoever was asked: `redact` takes secrets out of it.
    """
    unfit: set[str] = set()
    for check in checks:
        missing = next((name for name in check.needs if name in unfit), None)
        if missing is None:
            begins(check)
            seen = await _look(check)
            settled = [await _mended(each) if fix else _offered(each) for each in seen]
            found = [_redacted(each, redact) for each in settled]
            examined = Examined(check.name, found)
        else:
            examined = Examined(check.name, [skipped(f"not checked until {missing} is ok")])
        if examined.has(Outcome.FAILED, Outcome.SKIPPED):
            unfit.add(check.name)
        yield examined


async def _look(check: Check) -> Sequence[Finding]:
    try:
        return await check.look()
    except GaiaError as exc:
        return failures(exc)
    except Exception as exc:
        logger.exception("the check %r broke", check.name)
        return [
            failed(
                f"the check itself failed ({type(exc).__name__})",
                "This is a bug in gaia: please report it with the traceback.",
            )
        ]


async def _mended(finding: Finding) -> Finding:
    """What has become of it. One that cannot be mended stays, and says why."""
    if finding.mend is None:
        return finding
    try:
        done = await finding.mend()
    except GaiaError as exc:
        return replace(finding, remedy=f"It could not be fixed: {exc}.")
    except OSError as exc:
        cause = exc.strerror or type(exc).__name__
        return replace(finding, remedy=f"It could not be fixed ({cause}). {finding.remedy}")
    return Finding(Outcome.FIXED, done)


def _offered(finding: Finding) -> Finding:
    if finding.mend is None:
        return finding
    by_hand = f" By hand: {finding.remedy}" if finding.remedy else ""
    return replace(finding, remedy=OFFER + by_hand)


def _redacted(finding: Finding, redact: Callable[[str], str]) -> Finding:
    return replace(finding, detail=redact(finding.detail), remedy=redact(finding.remedy))
