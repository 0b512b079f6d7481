"""A home whose people write over a scripted Telegram, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Role, Users
from tests.servers.telegram import TelegramServer


async def furnish(
    home: Home, telegram: TelegramServer, model_url: str, people: Mapping[int, Role]
) -> None:
    """Write the settings, and make the people known."""
    home.create()
    home.settings_file.write_text(
        f"model: {{provider: openai, name: fake, base_url: '{model_url}'}}\n"
        "sessions: {settle_seconds: 0}\n"
        "web: {enabled: false}\n"
        "memory: {enabled: false}\n"
        f"channels: {{telegram: {{enabled: true, base_url: '{telegram.url}'}}}}\n"
    )
    home.env_file.write_text(f"GAIA_TELEGRAM_BOT_TOKEN={telegram.token}\n")
    home.env_file.chmod(0o600)
    database = await open_database(home)
    users = Users(database, SystemClock())
    for person, role in people.items():
        await users.create(f"person{person}", role, Address("telegram", str(person)))
    await database.close()
