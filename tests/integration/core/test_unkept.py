"""A database that does not answer for a while, in the middle of a turn."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest
from sqlalchemy import event, make_url

from gaia.errors import StoreError
from gaia.messages import Outbound
from gaia.ops.status import ANSWER_SECONDS
from gaia.paths import Home
from gaia.store import outbox
from gaia.store.location import VARIABLE
from gaia.testing.clock import until
from tests.harness.postgres import PostgresServer, postgres_server
from tests.harness.postgres_way import STILL, way_to


class Outage:
    """While it lasts no transaction of a database begins."""

    def __init__(self) -> None:
        self.lasts = False
        self.met = 0

    def listen(self, engine) -> None:
        event.listen(engine, "begin", self._begin)

    def _begin(self, _: object) -> None:
        if self.lasts:
            self.met += 1
            raise StoreError("the server is away")


async def test_an_answer_that_cannot_be_kept_at_once_is_not_asked_for_again(running_core):
    outage = Outage()

    def answer(request: object) -> str:
        outage.lasts = True
        return "once"

    async with running_core(answer) as core:
        outage.listen(core.database.engine)
        await core.channel.say("how often?")
        for _ in range(3):
            await core.clock.until_sleeping()
            assert core.channel.sent == []
            core.clock.advance(10)
        await core.clock.until_sleeping()
        assert outage.met >= 3
        outage.lasts = False
        # Others wait for the database as well: who sleeps may not be who keeps the answer.
        await until(lambda: bool(core.channel.sent), core.clock)
        (sent,) = core.channel.sent
        assert sent.marked_text == "once"
        assert len(core.model.requests) == 1


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """One that may be killed."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def postgres_home(tmp_path, server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv(VARIABLE, server.database().render_as_string(hide_password=False))
    home = Home(tmp_path / "home")
    home.create()
    return home


async def test_a_server_that_does_not_answer_is_what_the_report_tells(
    postgres_home: Home, core_on, server: PostgresServer, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    with way_to(make_url(os.environ[VARIABLE]), tmp_path) as (way, url):
        monkeypatch.setenv(VARIABLE, url.render_as_string(hide_password=False))
        async with core_on(postgres_home, lambda request: "hello") as core:
            way.mark, way.breaks = b"", STILL
            asked = asyncio.create_task(core.app.status.report())
            await core.clock.until_sleeping()
            core.clock.advance(ANSWER_SECONDS)
            with pytest.raises(StoreError, match="did not answer within 5 s: look at its server"):
                await asked
            way.close()


async def test_a_chunk_that_was_sent_before_the_server_went_is_not_sent_again(
    postgres_home: Home, core_on, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with core_on(postgres_home, lambda request: "abcdef", longest=3) as core:
        send = core.channel.send

        async def send_and_lose_the_server(outbound: Outbound) -> str:
            provider_id: str = await send(outbound)
            if len(core.channel.sent) == 1:
                await asyncio.to_thread(server.kill)
            return provider_id

        monkeypatch.setattr(core.channel, "send", send_and_lose_the_server)
        await core.channel.say("spell")
        for seconds in (1, 2, 4):
            await core.clock.until_sleeping()
            assert core.clock.sleeping == (seconds,)
            assert [each.marked_text for each in core.channel.sent] == ["abc"]
            core.clock.advance(seconds)
        await core.clock.until_sleeping()
        await asyncio.to_thread(server.restart)
        core.clock.advance(8)
        sent = await core.channel.until_sent(2)
        await core.app.delivery.flush()
        assert [each.marked_text for each in sent] == ["abc", "def"]
        backlog = await core.database.read(outbox.backlog)
        assert (backlog.open, backlog.dead) == (0, 0)
