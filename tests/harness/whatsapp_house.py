"""A gaia on WhatsApp that is a real daemon, and the Twilio that calls it as through a proxy."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.store import conversations
from gaia.store.opener import open_database
from gaia.store.people import identities
from gaia.store.people.users import Role, Users
from tests.harness.forked import ForkServer
from tests.harness.house import House
from tests.harness.polling import PATIENCE_SECONDS
from tests.harness.scripted_daemon import daemons
from tests.servers.model_server import ModelServer
from tests.servers.serve import LOOPBACK
from tests.servers.telegram import TelegramServer
from tests.servers.twilio import Person, TwilioServer, running_twilio

PUBLIC_URL = "https://gaia.example/of/ada"

PEOPLE = {"ada": "+4915100001000", "bob": "+4915100002000"}
"""Who lives there. The first is the owner."""

CHANNEL = "whatsapp"


@dataclass(frozen=True, slots=True)
class WhatsAppHouse(House):
    """The daemon's web server has the `port` at each start."""

    twilio: TwilioServer
    port: int

    async def furnish(
        self,
        people: Mapping[str, str] = PEOPLE,
        *,
        template: str = "",
        template_variable: str = "",
        telegram: TelegramServer | None = None,
        remembers: bool = False,
    ) -> None:
        """Write the settings, and make the people known, the first as the owner."""
        settings = self._settings(telegram)
        settings["channels"][CHANNEL] |= {
            "template": template,
            "template_variable": template_variable,
        }
        settings["memory"] = {"enabled": remembers}
        self.home.settings_file.write_text(json.dumps(settings))
        self.home.env_file.write_text(
            f"GAIA_TWILIO_ACCOUNT_SID={self.twilio.account_sid}\n"
            f"GAIA_TWILIO_AUTH_TOKEN={self.twilio.auth_token}\n"
            f"GAIA_TELEGRAM_BOT_TOKEN={telegram.token if telegram else ''}\n"
        )
        self.home.env_file.chmod(0o600)
        database = await open_database(self.home)
        users = Users(database, SystemClock())
        for name, number in people.items():
            role = Role.MEMBER if await users.list() else Role.OWNER
            await users.create(name, role, Address(CHANNEL, number))
        await database.close()

    def person(self, name: str) -> Person:
        """Somebody of `PEOPLE`."""
        return self.twilio.person(PEOPLE[name], name.title())

    async def wrote(self, name: str, *, gaia_knows: timedelta, really: timedelta) -> None:
        """Have somebody written last so long ago, and gaia know of that or of another time.
        No daemon may run."""
        now = SystemClock().now()
        self.person(name).contact.written_at = now - really
        database = await open_database(self.home)
        with database.writing() as session:
            address = Address(CHANNEL, PEOPLE[name])
            user = identities.resolve(session, address)
            assert user is not None
            conversation = conversations.find_or_create(
                session,
                user_id=user.user_id,
                channel=CHANNEL,
                chat=address.sender,
                direct=True,
                now=now - gaia_knows,
            )
            conversation_id = conversation.conversation_id
            conversations.note_written(session, conversation_id, now - gaia_knows)
        await database.close()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """A daemon as `awake` has it, whose channels work."""
        async with self.awake():
            await self.until(lambda: all(each["ok"] for each in self.status()["channels"]))
            yield

    def status(self) -> dict[str, Any]:
        """What the daemon says of itself."""
        return self.asks("/local/status")

    async def until_arrived(self, person: Person, count: int) -> list[str]:
        """The texts that somebody got, once they are so many."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.twilio.until(lambda: len(self.twilio.messages(person)) >= count)
        return self.twilio.texts(person)

    def _settings(self, telegram: TelegramServer | None) -> dict[str, Any]:
        whatsapp = {
            "enabled": True,
            "number": self.twilio.number,
            "public_url": PUBLIC_URL,
            "base_url": self.twilio.url,
        }
        channels = {CHANNEL: whatsapp}
        if telegram is not None:
            channels["telegram"] = {"enabled": True, "base_url": telegram.url}
        return {
            "model": {
                "provider": "openai",
                "name": "fake",
                "base_url": self.model.openai_base_url,
                "retries": 0,
            },
            "channels": channels,
            "sessions": {"settle_seconds": 0},
            "limits": {"messages_per_minute": 10000},
            "web": {"port": self.port},
        }


@asynccontextmanager
async def whatsapp_house(
    home: Home, forks: ForkServer, model: ModelServer
) -> AsyncIterator[WhatsAppHouse]:
    """A house that is not furnished yet. Gaia must not have broken Twilio's description
    when the block is left."""
    port = _free_port()
    async with running_twilio(SystemClock()) as twilio, daemons(forks, home) as started:
        twilio.calls(PUBLIC_URL, at=f"http://{LOOPBACK}:{port}")
        yield WhatsAppHouse(home, started, model, twilio, port)
        assert twilio.violations == ()


def _free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as free:
        return int(free.getsockname()[1])
