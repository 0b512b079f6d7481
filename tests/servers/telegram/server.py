"""The server while it runs, as a test sees it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from pydantic import JsonValue

from gaia.ports import Clock
from gaia.testing.clock import FakeClock
from tests.harness.cuts import CuttableProtocol
from tests.servers.serve import serving
from tests.servers.telegram.app import BotApiApp
from tests.servers.telegram.faults import Faults, RequestSeen, no_faults
from tests.servers.telegram.groups import Channel, Group
from tests.servers.telegram.methods import scope_key
from tests.servers.telegram.people import Person
from tests.servers.telegram.refusals import Json
from tests.servers.telegram.webhook import Pusher
from tests.servers.telegram.world import SentMessage, World

TOKEN = "7000000001:AAtest-token-of-the-scripted-server"


class TelegramServer:
    """Telegram, and all the people on it."""

    def __init__(self, url: str, token: str, world: World, app: BotApiApp) -> None:
        self.url = url
        self.token = token
        self.world = world
        self._app = app

    @property
    def base_url(self) -> str:
        """What python-telegram-bot takes as `base_url`."""
        return f"{self.url}/bot"

    @property
    def base_file_url(self) -> str:
        """What python-telegram-bot takes as `base_file_url`."""
        return f"{self.url}/file/bot"

    @property
    def bot_username(self) -> str:
        return str(self.world.bot["username"])

    def person(
        self,
        user_id: int,
        first_name: str = "",
        *,
        language_code: str | None = "en",
        username: str | None = None,
    ) -> Person:
        """Somebody who has opened a chat with the bot. Without a name: Person<id>."""
        return Person.on(self.world, user_id, first_name, language_code, username)

    def group(
        self,
        chat_id: int,
        title: str = "Home",
        *,
        members: Sequence[Person] = (),
        is_supergroup: bool = False,
        is_forum: bool = False,
    ) -> Group:
        """A group with the bot in it. Only supergroups are forums."""
        group = Group.on(self.world, chat_id, title, is_supergroup or is_forum, is_forum)
        for member in members:
            group.admit(member)
        return group

    def channel(self, chat_id: int, title: str = "News") -> Channel:
        """A channel with the bot in it."""
        return Channel.on(self.world, chat_id, title)

    @property
    def faults(self) -> Faults:
        """The plan of what goes wrong; set it at any time."""
        return self._app.faults

    @faults.setter
    def faults(self, plan: Faults) -> None:
        self._app.faults = plan

    @property
    def violations(self) -> Sequence[str]:
        """Requests that broke the documentation. A test wants none."""
        return tuple(self._app.violations)

    @property
    def refusals(self) -> Sequence[str]:
        """Requests that were refused by the state of things, violations included."""
        return tuple(self._app.refusals)

    def requests(self, method: str | None = None) -> list[RequestSeen]:
        """The requests so far, of one method or all."""
        return [each for each in self._app.requests if method in (None, each.method)]

    def messages(
        self, chat: int | Person | Group | Channel | None = None, *, thread: int | None = None
    ) -> list[SentMessage]:
        """The bot's messages in order: all, of a chat, or of one topic of it."""
        chat_id = chat if chat is None or isinstance(chat, int) else chat.chat_id
        return [
            each
            for each in self.world.sent.values()
            if chat_id in (None, each.chat_id) and thread in (None, each.thread_id)
        ]

    def texts(
        self, chat: int | Person | Group | Channel | None = None, *, thread: int | None = None
    ) -> list[str]:
        """The texts of `messages`."""
        return [each.text for each in self.messages(chat, thread=thread)]

    def content(self, message: SentMessage) -> bytes | None:
        """The content of the file that a message of the bot is, if it is one."""
        document = message.document
        if document is None:
            return None
        return self.world.files.found(str(document["file_id"])).content

    def actions(self, chat: int | Person | Group | Channel, action: str = "typing") -> int:
        """How often the bot showed that it is doing something."""
        chat_id = chat if isinstance(chat, int) else chat.chat_id
        return self.world.actions[chat_id, action]

    def commands(self, scope: Json | None = None, language_code: str = "") -> dict[str, str]:
        """The menu of a scope: descriptions by command."""
        listed = self.world.commands.get(scope_key(scope, language_code), [])
        return {str(each["command"]): str(each["description"]) for each in listed}

    def answer_to(self, query_id: str) -> Json | None:
        """The parameters by which the bot answered a pressed button, None as long as
        it did not."""
        return self.world.queries[query_id]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Return once `holds` does; it is looked at after each change of anything here.

        Raises what the server did wrong itself, if it did.
        """
        await self.world.changes.until(lambda: self._app.failure is not None or holds())
        self.raise_failure()

    async def until_polled(self) -> None:
        """Return once a poll waits, so that the bot has all there was."""
        updates = self.world.updates
        await self.until(lambda: updates.is_polled and not updates.waiting)

    def raise_failure(self) -> None:
        """Raise what the server did wrong itself, if it did."""
        if self._app.failure is not None:
            raise self._app.failure

    def redeliver(self, *update_ids: int) -> int:
        """Hand confirmed updates out again, all or those named, as Telegram does when a
        confirmation is lost; return how many."""
        return self.world.updates.redeliver(update_ids or None)

    def next_update_id(self) -> int:
        """The id that the next update will have."""
        return self.world.updates.next_id

    def inject_raw(self, update: JsonValue) -> None:
        """Queue any JSON as an update, unchecked. Without an `update_id` that can be
        confirmed it is handed out once only."""
        self.world.updates.add_raw(update)

    def no_more_faults(self) -> None:
        """Let everything go well from now on."""
        self.faults = no_faults


@asynccontextmanager
async def running_telegram(
    clock: Clock | None = None, *, token: str = TOKEN, port: int = 0
) -> AsyncIterator[TelegramServer]:
    """Serve on loopback until the block is left; raise then what the server did wrong.

    `clock` stamps messages and paces the webhook; a `FakeClock` by itself.
    """
    clock = clock or FakeClock()
    world = World(clock, bot_id=int(token.partition(":")[0]))
    app = BotApiApp(world, token)
    pusher = Pusher(world.webhook, world.updates, world.changes, clock)
    async with serving(app.starlette, port=port, protocol=CuttableProtocol) as url:
        server = TelegramServer(url, token, world, app)
        pushing = asyncio.create_task(pusher.run())
        pushing.add_done_callback(app.note_end)
        try:
            yield server
        finally:
            pushing.cancel()
            await asyncio.wait({pushing})
    server.raise_failure()
