"""Telegram's Bot API over HTTP, and the people on it, for tests. Strict: what a client
asks and what is answered is compared with Telegram's own table of methods and types.

    async with running_telegram() as telegram:
        bot = Bot(telegram.token, telegram.base_url, telegram.base_file_url)

        ada = telegram.person(100, "Ada")                  # what people do: plain calls
        asked = ada.writes("/help")
        ada.writes("no, wait", reply_to=asked)
        ada.edits(asked, "/start")
        ada.sends_photo(b"...", caption="my cat")
        ada.sends_album([b"...", b"..."], caption="cats")
        ada.sends(contents.location(52.5, 13.4))           # see `contents`: poll, dice, ...
        ada.presses(telegram.messages(ada)[-1], "Yes")
        ada.blocks()

        home = telegram.group(-5, "Home", members=[ada])   # also: is_supergroup, is_forum
        ada.writes(f"@{telegram.bot_username} hi", to=home)
        larger = home.becomes_supergroup(-1005, by=ada)

        await telegram.until(lambda: len(telegram.messages(ada)) == 2)   # no sleeps
        telegram.texts(ada)                                # what reached Ada, in order
        telegram.messages(ada)[0].entities                 # also: html, buttons, parameters,
                                                           # reply_to, acknowledged, edits
        telegram.actions(ada, "typing")                    # how often
        telegram.commands({"type": "all_private_chats"})   # the menu of a scope
        telegram.redeliver()                               # confirmed updates come again
        telegram.inject_raw({"update_id": telegram.next_update_id(), "message": 7})

        telegram.faults = lambda request: (                # see `faults` for all kinds
            TooManyRequests(3) if request.method == "sendMessage" else None
        )
        assert telegram.violations == ()                   # of the documentation, by the bot

`await telegram.until(...)` and the end of the block raise what the server did wrong itself.
By hand: `python -m tests.servers.telegram --port 8081 --token 1:x`.
"""

from tests.servers.telegram import contents
from tests.servers.telegram.chats import Written
from tests.servers.telegram.checks import NotTelegramError
from tests.servers.telegram.faults import (
    BadGateway,
    BadRequest,
    Blocked,
    Conflict,
    CutAfterRead,
    Fault,
    Faults,
    Hang,
    MalformedJson,
    RequestSeen,
    ServerError,
    Slow,
    TooManyRequests,
)
from tests.servers.telegram.groups import Channel, Group
from tests.servers.telegram.people import Person
from tests.servers.telegram.server import TOKEN, TelegramServer, running_telegram
from tests.servers.telegram.world import SentMessage

__all__ = [
    "TOKEN",
    "BadGateway",
    "BadRequest",
    "Blocked",
    "Channel",
    "Conflict",
    "CutAfterRead",
    "Fault",
    "Faults",
    "Group",
    "Hang",
    "MalformedJson",
    "NotTelegramError",
    "Person",
    "RequestSeen",
    "SentMessage",
    "ServerError",
    "Slow",
    "TelegramServer",
    "TooManyRequests",
    "Written",
    "contents",
    "running_telegram",
]
