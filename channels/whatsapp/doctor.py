"""Whether Twilio takes the credentials, for `gaia doctor`. No message is sent."""

from __future__ import annotations

from collections.abc import Sequence

import httpx

from channels.credentials import TwilioCredentials
from channels.whatsapp.api import Api
from channels.whatsapp.codes import Blame
from channels.whatsapp.faults import REFUSALS, Refusal, blame_of, code_of, describe
from channels.whatsapp.http import FloodError
from channels.whatsapp.timing import Timing
from channels.wording import one_line
from gaia.findings import Finding, Heard, failed, ok, warning
from gaia.settings.schema import WhatsAppSettings

TIMING = Timing(connect=10.0, read=10.0, write=10.0, pool=10.0)
ACCOUNT_REMEDY = "Sign in at console.twilio.com: it says what is to be done."
SANDBOX = "+14155238886"
"""The number that all of Twilio's sandboxes share."""


async def look_at_account(
    settings: WhatsAppSettings,
    credentials: TwilioCredentials,
    timing: Timing = TIMING,
    *,
    heard: Heard | None = None,
) -> Sequence[Finding]:
    """Whether Twilio takes the credentials, and the account works."""
    api = Api(
        credentials.account_sid,
        credentials.auth_token,
        settings.number,
        settings.base_url,
        timing,
        heard=heard,
    )
    try:
        account = await api.account()
    except FloodError as exc:
        return [warning(str(exc), "Look again later.")]
    except REFUSALS as exc:
        return [failed(_words(exc), _remedy(exc, settings))]
    finally:
        await api.close_connections()
    if account.status != "active":
        return [
            failed(
                f"Twilio says that the account is {one_line(account.status, 40) or 'unknown'}",
                ACCOUNT_REMEDY,
            )
        ]
    sandbox = " (the sandbox)" if settings.number == SANDBOX else ""
    return [ok(f"Twilio takes the credentials, for {settings.number}{sandbox}")]


def _words(exc: Refusal) -> str:
    cause = one_line(describe(exc), 200)
    return cause if code_of(exc) is not None else f"Twilio cannot be asked: {cause}"


def _remedy(exc: Refusal, settings: WhatsAppSettings) -> str:
    match blame_of(code_of(exc)):
        case Blame.CREDENTIALS:
            return (
                "Copy Account SID and auth token anew from console.twilio.com into .env: the "
                "live ones, not those for tests."
            )
        case Blame.ACCOUNT:
            return ACCOUNT_REMEDY
    if settings.base_url:
        return "Look at channels.whatsapp.base_url: empty is Twilio itself."
    if isinstance(exc, httpx.HTTPError):
        return "Look at this machine's network, and whether a firewall keeps api.twilio.com away."
    return "Look again later, and at status.twilio.com."
