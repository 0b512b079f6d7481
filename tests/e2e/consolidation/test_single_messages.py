"""Who only ever says `gaia chat -m` is learned from as well: with the message after."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from sqlalchemy import update

from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.tables import ConversationRow
from tests.e2e.conftest import RunGaia
from tests.harness.learning_model import LearningModel, Lesson
from tests.servers.model_server import running_model_server

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEA = Lesson("I only drink cobaltine tea", "ada only drinks cobaltine tea", "preference")
HOUR = timedelta(hours=1)


async def an_hour_passes(home: Home) -> None:
    """Nothing was said for an hour."""
    database = await open_database(home)
    with database.writing() as session:
        before = ConversationRow.last_message_at
        (chat,) = session.query(ConversationRow.last_message_at).all()
        session.execute(update(ConversationRow).values({before: chat.last_message_at - HOUR}))
    await database.close()


async def test_what_was_said_in_the_last_of_them_is_kept_when_the_next_is_answered(
    home: Home, run_gaia: RunGaia
) -> None:
    async def say(text: str) -> str:
        done = await run_gaia(home, "chat", "--user", "ada", "-m", text)
        assert done.code == 0, done.stderr
        return done.stdout.strip()

    async def known() -> list[str]:
        done = await run_gaia(home, "memory", "list", "--json")
        return [each["text"] for each in json.loads(done.stdout)["memories"]]

    async with running_model_server(shaped=LearningModel(TEA)) as model:
        home.settings_file.write_text(
            f"model: {{provider: openai, name: fake, base_url: '{model.openai_base_url}'}}\n"
            "sessions: {settle_seconds: 0}\nweb: {enabled: false}\n"
        )
        home.env_file.write_text("OPENAI_API_KEY=x\n")
        home.env_file.chmod(0o600)
        assert await say(TEA.said) == f"echo: {TEA.said}"
        assert await say("And now?") == "echo: And now?"
        assert await known() == []
        await an_hour_passes(home)
        assert await say("What is new?") == "echo: What is new?"
        assert TEA.said in "".join(await known())
