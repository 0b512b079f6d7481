"""Memories of a gaia whose tables and vectors are in PostgreSQL, by its commands."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL

from gaia.paths import Home
from gaia.store.location import VARIABLE
from tests.harness.postgres import PostgresServer
from tests.servers.model_server import running_model_server

PATIENCE_SECONDS = 60
LOOK_SECONDS = 0.3
NUTS = "I am allergic to peanuts"
ASKED = "what must I not eat"
"""No word of it stands in the memory: it is found by its meaning or not at all."""
SHOWN = "similarity 0."


def asked(url: URL, query: str) -> list[tuple[object, ...]]:
    """What PostgreSQL answers."""
    place = f"host={url.query['host']} user={url.username} dbname={url.database}"
    with psycopg.connect(place) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.timeout(200)
async def test_two_processes_find_by_meaning_what_one_was_told(
    tmp_path: Path, postgres: PostgresServer, run_gaia, running_daemon
) -> None:
    url = postgres.database()
    environ = {VARIABLE: url.render_as_string(hide_password=False)}
    homes = [Home(tmp_path / name) for name in ("one", "two")]

    async def gaia(home: Home, *words: str) -> str:
        done = await run_gaia(home, *words, environ=environ)
        assert done.code == 0, done
        return done.stdout

    async def until_by_meaning(home: Home) -> str:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                if SHOWN in (found := await gaia(home, *search)):
                    return found
                await asyncio.sleep(LOOK_SECONDS)

    search = ("memory", "search", ASKED, "--explain")
    async with running_model_server() as model:
        for home in homes:
            home.create()
            home.settings_file.write_text(
                f"model: {{provider: openai, name: fake, base_url: '{model.openai_base_url}'}}\n"
                "web: {enabled: false}\n"
            )
        one, two = homes
        async with running_daemon(one, environ=environ):
            await gaia(one, "users", "add", "Ada", "--role", "owner")
            await gaia(one, "memory", "add", NUTS)
            assert NUTS in await until_by_meaning(one)
            async with running_daemon(two, environ=environ):
                assert NUTS in await until_by_meaning(two)
        assert not [file for home in homes for file in home.memory.glob("chroma*")]
        async with running_daemon(two, environ=environ):
            await until_by_meaning(two)
            await gaia(two, "memory", "reindex")
            assert NUTS in await until_by_meaning(two)
            ((table,),) = asked(url, "SELECT 'gaia_' || index_id FROM indexes WHERE active")
            assert len(asked(url, f"SELECT 1 FROM {table}")) == 1
            await gaia(two, "memory", "forget", "1", "--yes")
            async with asyncio.timeout(PATIENCE_SECONDS):
                while True:
                    if not asked(url, f"SELECT 1 FROM {table}"):
                        break
                    await asyncio.sleep(LOOK_SECONDS)
            assert NUTS not in await gaia(two, *search)
