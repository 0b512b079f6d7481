"""Checks in their order: what fails leaves out what needs it, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gaia.errors import NotRunningError, SettingsError
from gaia.findings import Check, Finding, Outcome, failed, ok, warning
from gaia.mistakes import Mistake
from gaia.ops.doctor.checks import OFFER, Examined, examine


def finding(name: str, found: Finding | Exception, *needs: str) -> Check:
    async def look() -> Sequence[Finding]:
        if isinstance(found, Exception):
            raise found
        return [found]

    return Check(name, look, needs)


async def outcomes(*checks: Check) -> dict[str, Outcome]:
    return {each.check: each.findings[0].outcome for each in await all_of(*checks)}


async def all_of(*checks: Check) -> list[Examined]:
    return [each async for each in examine(checks, lambda check: None)]


async def test_what_needs_something_that_failed_is_skipped_and_so_is_what_needs_that() -> None:
    found = await outcomes(
        finding("a", failed("x", "y")),
        finding("b", ok(""), "a"),
        finding("c", ok(""), "b"),
        finding("d", ok("")),
    )
    assert list(found.values()) == ["failed", "skipped", "skipped", "ok"]


async def test_a_skipped_check_is_not_begun_and_says_why() -> None:
    begun: list[str] = []
    checks = [finding("a", failed("x", "y")), finding("b", ok(""), "a")]
    async for each in examine(checks, lambda check: begun.append(check.name)):
        last = each
    assert begun == ["a"]
    assert "until a is ok" in last.findings[0].detail


async def test_a_warning_leaves_out_nothing() -> None:
    assert (await outcomes(finding("a", warning("x")), finding("b", ok(""), "a")))["b"] == "ok"


async def test_an_error_is_a_failure_with_the_remedy_apart() -> None:
    exc = NotRunningError("gaia does not run in '/a: b': start it with 'gaia serve'")
    (examined,) = await all_of(finding("a", exc))
    assert examined.findings == [
        failed("gaia does not run in '/a: b'", "Start it with 'gaia serve'.")
    ]


async def test_each_mistake_in_the_settings_is_a_failure_of_its_own() -> None:
    mistakes = [Mistake("gaia.yaml", n, 2, f"a.b{n}", "is odd", "Mend it") for n in (1, 7)]
    (examined,) = await all_of(finding("a", SettingsError.of(mistakes)))
    assert examined.findings == [
        failed("gaia.yaml, line 1, column 2: a.b1 is odd", "Mend it."),
        failed("gaia.yaml, line 7, column 2: a.b7 is odd", "Mend it."),
    ]


async def test_a_check_that_breaks_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    found = await outcomes(finding("a", KeyError("canary")), finding("b", ok("")))
    assert list(found.values()) == ["failed", "ok"]
    assert "KeyError" in caplog.text


def mendable(outcome: str | Exception) -> Finding:
    async def mend() -> str:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return failed("x is open", "chmod 600 x", mend)


async def fixed(found: Finding) -> Finding:
    examined = [each async for each in examine([finding("a", found)], lambda _: None, fix=True)]
    return examined[0].findings[0]


async def test_what_can_be_mended_is_offered_and_left_alone() -> None:
    (examined,) = await all_of(finding("a", mendable(KeyError("nobody mends it"))))
    assert examined.findings == [failed("x is open", f"{OFFER} By hand: chmod 600 x")]


async def test_what_is_mended_says_what_was_done_and_leaves_out_nothing() -> None:
    assert await fixed(mendable("x is private now")) == Finding(Outcome.FIXED, "x is private now")
    checks = [finding("a", mendable("done")), finding("b", ok(""), "a")]
    examined = [each async for each in examine(checks, lambda _: None, fix=True)]
    assert [each.findings[0].outcome for each in examined] == ["fixed", "ok"]


async def test_what_cannot_be_mended_stays_and_says_why() -> None:
    assert await fixed(mendable(NotRunningError("gaia runs: stop it"))) == failed(
        "x is open", "It could not be fixed: gaia runs: stop it."
    )
    assert await fixed(mendable(PermissionError(1, "Operation not permitted"))) == failed(
        "x is open", "It could not be fixed (Operation not permitted). chmod 600 x"
    )


async def test_what_needs_a_person_is_left_to_them() -> None:
    assert await fixed(warning("x", "Think.")) == warning("x", "Think.")
