"""Whether a provider takes credentials that an owner has just given, before they are kept.

A finding is a failure if the provider refuses them, and a warning if nobody can tell now.
"""

from __future__ import annotations

from channels.credentials import TwilioCredentials
from channels.wording import one_line
from gaia.findings import Finding, failed, ok, warning
from gaia.settings.schema import TelegramSettings, WhatsAppSettings

SECONDS = 10.0
LONGEST_CAUSE = 200
NETWORK_REMEDY = "Look at this machine's network, and at the setting {key} if it is set."


async def try_bot(
    settings: TelegramSettings, token: str, *, seconds: float = SECONDS
) -> tuple[Finding, str]:
    """What Telegram says of a bot's token, and the bot's user name if it knows it."""
    from telegram.error import InvalidToken, TelegramError

    from channels.telegram.api import Api
    from channels.telegram.faults import describe
    from channels.telegram.timing import Timing

    timing = Timing(connect=seconds, read=seconds, write=seconds, pool=seconds)
    api = Api(token, settings.base_url, timing)
    try:
        bot = await api.get_me()
    except InvalidToken as exc:
        said = one_line(exc.message, LONGEST_CAUSE)
        return failed(f"Telegram refuses the token: {said}", "Copy it anew from @BotFather."), ""
    except TelegramError as exc:
        cause = one_line(describe(exc), LONGEST_CAUSE)
        remedy = NETWORK_REMEDY.format(key="channels.telegram.base_url")
        return warning(f"Telegram cannot be asked: {cause}", remedy), ""
    finally:
        await api.close_connections()
    return ok(f"Telegram takes the token of @{bot.username}"), bot.username or ""


async def try_account(
    settings: WhatsAppSettings, credentials: TwilioCredentials, *, seconds: float = SECONDS
) -> Finding:
    """What Twilio says of an account and its token. `settings` need no number yet."""
    from channels.whatsapp.api import Api
    from channels.whatsapp.faults import REFUSALS, blame_of, code_of, describe
    from channels.whatsapp.timing import Timing

    timing = Timing(connect=seconds, read=seconds, write=seconds, pool=seconds)
    api = Api(
        credentials.account_sid,
        credentials.auth_token,
        settings.number,
        settings.base_url,
        timing,
    )
    try:
        account = await api.account()
    except REFUSALS as exc:
        cause = one_line(describe(exc), LONGEST_CAUSE)
        if blame_of(code_of(exc)) is not None:
            remedy = "Copy both anew from console.twilio.com: the live ones, not those for tests."
            return failed(f"Twilio refuses them: {cause}", remedy)
        remedy = NETWORK_REMEDY.format(key="channels.whatsapp.base_url")
        return warning(f"Twilio cannot be asked: {cause}", remedy)
    finally:
        await api.close_connections()
    if account.status != "active":
        said = one_line(account.status, 40) or "unknown"
        remedy = "Sign in at console.twilio.com: it says what is to be done."
        return failed(f"Twilio says that the account is {said}", remedy)
    return ok("Twilio takes Account SID and auth token")
