"""Asks Twilio whether it takes the credentials, for the owner. No message is sent."""

from __future__ import annotations

from collections.abc import Sequence

import httpx

from channels.base.intake import one_line
from channels.credentials import TwilioCredentials
from channels.whatsapp.api import Account, Api, Timing
from channels.whatsapp.errors import (
    REFUSALS,
    Blame,
    FloodError,
    Refusal,
    blame_of,
    code_of,
    describe,
)
from gaia.findings import Finding, Heard, failed, ok, warning
from gaia.settings.schema import WhatsAppSettings

TIMING = Timing(pool=10.0, read=10.0)
ACCOUNT_REMEDY = "Sign in at console.twilio.com: it says what to do."
SANDBOX = "+14155238886"
"""The number that all of Twilio's sandboxes share."""


async def try_account(settings: WhatsAppSettings, credentials: TwilioCredentials) -> Finding:
    """Try an account and a token that an owner has just given. `settings` need no number yet.

    The finding is a failure if Twilio refuses them, and a warning if nobody can tell.
    """
    try:
        account = await _account(settings, credentials, TIMING)
    except REFUSALS as exc:
        cause = one_line(describe(exc), 200)
        if blame_of(code_of(exc)) is not None:
            remedy = "Copy both again from console.twilio.com: the live ones, not the test ones."
            return failed(f"Twilio refuses them: {cause}", remedy)
        remedy = "Check this machine's network, and channels.whatsapp.base_url if it is set."
        return warning(f"Twilio cannot be reached: {cause}", remedy)
    return _unless_active(account) or ok("Twilio accepts Account SID and auth token")


async def look_at_account(
    settings: WhatsAppSettings,
    credentials: TwilioCredentials,
    timing: Timing = TIMING,
    *,
    heard: Heard | None = None,
) -> Sequence[Finding]:
    """Check that Twilio takes the credentials, and that the account works."""
    try:
        account = await _account(settings, credentials, timing, heard)
    except FloodError as exc:
        return [warning(str(exc), "Check again later.")]
    except REFUSALS as exc:
        return [failed(_words(exc), _remedy(exc, settings))]
    sandbox = " (the sandbox)" if settings.number == SANDBOX else ""
    taken = ok(f"Twilio accepts the credentials, for {settings.number}{sandbox}")
    return [_unless_active(account) or taken]


async def _account(
    settings: WhatsAppSettings,
    credentials: TwilioCredentials,
    timing: Timing,
    heard: Heard | None = None,
) -> Account:
    account_sid, auth_token = credentials.account_sid, credentials.auth_token
    api = Api(account_sid, auth_token, settings.number, settings.base_url, timing, heard=heard)
    try:
        return await api.account()
    finally:
        await api.close_connections()


def _unless_active(account: Account) -> Finding | None:
    if account.status == "active":
        return None
    said = one_line(account.status, 40) or "unknown"
    return failed(f"Twilio says that the account is {said}", ACCOUNT_REMEDY)


def _words(exc: Refusal) -> str:
    cause = one_line(describe(exc), 200)
    return cause if code_of(exc) is not None else f"Twilio cannot be reached: {cause}"


def _remedy(exc: Refusal, settings: WhatsAppSettings) -> str:
    match blame_of(code_of(exc)):
        case Blame.CREDENTIALS:
            return (
                "Copy Account SID and auth token again from console.twilio.com into .env: the "
                "live ones, not those for tests."
            )
        case Blame.ACCOUNT:
            return ACCOUNT_REMEDY
    if settings.base_url:
        return "Check channels.whatsapp.base_url: empty means Twilio itself."
    if isinstance(exc, httpx.HTTPError):
        return "Check this machine's network, and whether a firewall blocks api.twilio.com."
    return "Check again later, and see status.twilio.com."
