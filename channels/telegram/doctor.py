"""Whether Telegram takes the token, for `gaia doctor`. No message is sent."""

from __future__ import annotations

from collections.abc import Sequence

from telegram.error import InvalidToken, TelegramError

from channels.telegram.api import Api, FloodError
from channels.telegram.faults import describe
from channels.telegram.timing import Timing
from channels.wording import one_line
from gaia.findings import Finding, failed, ok, warning
from gaia.settings.schema import TelegramSettings

TIMING = Timing(connect=10.0, read=10.0, write=10.0, pool=10.0)


async def look_at_token(
    settings: TelegramSettings, token: str, timing: Timing = TIMING
) -> Sequence[Finding]:
    """Whether Telegram takes the token, and whose it is."""
    api = Api(token, settings.base_url, timing)
    try:
        bot = await api.get_me()
    except FloodError as exc:
        return [warning(describe(exc), "Look again later.")]
    except InvalidToken:
        return [failed("Telegram refuses the token", "Copy it anew from @BotFather into .env.")]
    except TelegramError as exc:
        remedy = "Look at this machine's network, and at channels.telegram.base_url if it is set."
        return [failed(f"Telegram cannot be asked: {one_line(describe(exc), 200)}", remedy)]
    finally:
        await api.close_connections()
    return [ok(f"Telegram takes the token of @{bot.username}")]
