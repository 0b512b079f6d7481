"""Asks Telegram whether it takes the token, and where it brings updates: for the owner.

No message is sent, and no update is asked for: that would end the poll of whoever polls.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from telegram import WebhookInfo
from telegram.error import InvalidToken, TelegramError

from channels.base.intake import one_line
from channels.telegram.api import Api, FloodError, Timing, describe
from channels.telegram.updates import address_of
from gaia.findings import Finding, Heard, failed, ok, skipped, warning
from gaia.messages import Health
from gaia.settings.schema import TelegramSettings

TIMING = Timing(pool=10.0, read=10.0)
NETWORK_REMEDY = "Check this machine's network, and channels.telegram.base_url if it is set."


async def try_bot(settings: TelegramSettings, token: str) -> tuple[Finding, str]:
    """Try a token that an owner has just given; with the bot's user name, if Telegram tells it.

    The finding is a failure if Telegram refuses the token, and a warning if nobody can tell.
    """
    api = Api(token, settings.base_url, TIMING)
    try:
        bot = await api.get_me()
    except InvalidToken as exc:
        said = one_line(exc.message, 200)
        return failed(f"Telegram refuses the token: {said}", "Copy it again from @BotFather."), ""
    except TelegramError as exc:
        return warning(_unasked(exc), NETWORK_REMEDY), ""
    finally:
        await api.close_connections()
    return ok(f"Telegram accepts the token of @{bot.username}"), bot.username or ""


async def look_at_token(
    settings: TelegramSettings,
    token: str,
    timing: Timing = TIMING,
    *,
    heard: Heard | None = None,
) -> Sequence[Finding]:
    """Check that Telegram takes the token, and tell whose it is."""

    async def look(api: Api) -> Finding:
        bot = await api.get_me()
        return ok(f"Telegram accepts the token of @{bot.username}")

    return [await _asked(Api(token, settings.base_url, timing, heard=heard), look)]


async def look_at_updates(
    settings: TelegramSettings, token: str, health: Health | None, timing: Timing = TIMING
) -> Sequence[Finding]:
    """Check that updates come to this gaia and nowhere else. `health` is what a running one
    says of the channel, None if none runs."""

    async def look(api: Api) -> Finding:
        info = await api.get_webhook_info()
        if settings.mode == "webhook":
            return _of_webhook(info, address_of(settings.webhook_url), runs=health is not None)
        return _of_polling(info, health)

    return [await _asked(Api(token, settings.base_url, timing), look)]


async def _asked(api: Api, look: Callable[[Api], Awaitable[Finding]]) -> Finding:
    try:
        return await look(api)
    except FloodError as exc:
        return warning(describe(exc), "Check again later.")
    except InvalidToken:
        return failed("Telegram refuses the token", "Copy it again from @BotFather into .env.")
    except TelegramError as exc:
        return failed(_unasked(exc), NETWORK_REMEDY)
    finally:
        await api.close_connections()


def _unasked(exc: TelegramError) -> str:
    return f"Telegram cannot be reached: {one_line(describe(exc), 200)}"


def _of_polling(info: WebhookInfo, health: Health | None) -> Finding:
    """Another poller shows to a gaia that polls, as its channel's fault, and to nobody else."""
    if info.url and health is not None:
        return failed(
            "something else has set a webhook for this token: Telegram calls that, not gaia",
            "Stop that program, or create a second bot with @BotFather.",
        )
    if info.url:
        return warning(
            "a webhook is set for this token: gaia removes it when it starts",
            "If another program uses this bot, create a second one with @BotFather.",
        )
    if health is None:
        return skipped("another program that polls with this token shows once gaia runs")
    if not health.ok:
        return skipped("not checked while the running gaia has trouble with the channel")
    return ok("no webhook is set, and nobody else polls")


def _of_webhook(info: WebhookInfo, address: str, *, runs: bool) -> Finding:
    if info.url != address:
        where = "another address" if info.url else "nobody"
        if not runs:
            return warning(f"Telegram calls {where} until gaia starts", "Start gaia.")
        return failed(
            f"Telegram calls {where}, and not {address}",
            "Restart gaia, and stop whatever else uses this bot.",
        )
    if info.pending_update_count and info.last_error_message:
        return warning(
            f"{info.pending_update_count} updates wait at Telegram: "
            f"{one_line(info.last_error_message, 200)}",
            f"Let the proxy pass {address} on to gaia, with a valid certificate.",
        )
    return ok(f"Telegram calls {address}")
