"""The page over a ledger on disk, in browsers that two people are signed in with."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence

import httpx
import pytest
from starlette.applications import Starlette

from gaia.cli.memory.search import NoIndex
from gaia.memory.search.preload import Room
from gaia.memory.search.search import Search
from gaia.ops.report import StatusReport
from gaia.settings.schema import Settings
from gaia.store.engine import Database
from gaia.store.people.identities import User
from gaia.swappable import Swappable
from gaia.testing.clock import FakeClock
from gaia.web.page.parts import PageParts, add_link, page_route
from tests.harness.ledger_fixtures import ada, bob, book, clock, database, family, home
from tests.harness.page_browser import BASE, Browser
from tests.harness.reports import WELL

__all__ = ["ada", "bob", "book", "clock", "database", "family", "home"]


async def well() -> StatusReport:
    return WELL


class Site:
    """The page, and how often it said that a memory was changed."""

    def __init__(self, database: Database, clock: FakeClock) -> None:
        self.changes = 0
        self.settings = Swappable(Settings())
        self.clock = clock
        self.parts = PageParts(
            database=database,
            clock=clock,
            search=Search(database, NoIndex("there is none"), clock),
            settings=self.settings,
            changed=self._change,
            room=lambda: Room(20),
            report=well,
        )
        self.app = Starlette(routes=[page_route(self.parts)])

    def _change(self) -> None:
        self.changes += 1

    async def link(self, user: User) -> str:
        return await self.parts.database.write(add_link, user.user_id, self.clock.now())


Browse = Callable[..., Browser]


@pytest.fixture
def site(database: Database, clock: FakeClock) -> Site:
    return Site(database, clock)


@pytest.fixture
async def browse(site: Site) -> AsyncIterator[Browse]:
    clients: list[httpx.AsyncClient] = []

    def open_browser(base: str = BASE) -> Browser:
        transport = httpx.ASGITransport(app=site.app)
        clients.append(httpx.AsyncClient(transport=transport, base_url=base))
        return Browser(clients[-1])

    yield open_browser
    for client in clients:
        await client.aclose()


@pytest.fixture
async def signed_in(site: Site, browse: Browse, ada: User) -> Browser:
    browser = browse()
    await browser.enter(await site.link(ada))
    return browser


def words_of(page: str) -> Sequence[str]:
    """The memories that a page lists."""
    return re.findall(r'<a href="/page/memory/\d+">([^<#]*)</a></p>', page)
