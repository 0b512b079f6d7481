"""Settings that two processes on one PostgreSQL database share: when nothing is told, and what is
left of a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from gaia.app.apply import SettingsApplier
from gaia.app.exchange import SettingsExchange
from gaia.app.reload import ConfigReloader
from gaia.app.tasks import Listeners, Tasks
from gaia.ops.service.watchdog import ServiceManager
from gaia.ops.status import SettingsState
from gaia.paths import Home
from gaia.settings.load import load_settings
from gaia.settings.watch import Watch
from gaia.store.location import VARIABLE
from gaia.store.processes.membership import Membership
from gaia.testing.clock import until
from tests.harness.postgres import PostgresServer


@dataclass(frozen=True, slots=True)
class Sharer:
    """A core that shares its settings when it is told to."""

    home: Home
    reloader: ConfigReloader
    state: SettingsState
    exchange: SettingsExchange
    begin: Callable[[], SettingsExchange]
    """As another start of its daemon does."""

    async def save(self, text: str) -> None:
        """Write its gaia.yaml, have it taken up, and share it."""
        self.home.settings_file.write_text(text)
        assert not (await self.reloader.reload("a test asks")).problem
        await self.exchange.share()

    @property
    def text(self) -> str:
        return self.home.settings_file.read_text()

    @property
    def currency(self) -> str:
        return self.reloader.loaded.settings.costs.currency

    @property
    def turns(self) -> int:
        return self.reloader.loaded.settings.sessions.window_turns


@asynccontextmanager
async def sharing(core, home: Home) -> AsyncIterator[Sharer]:
    home.settings_file.write_text("costs: {currency: EUR}\n")
    watch = Watch([home.settings_file], core.clock)
    database, state = core.database, core.app.settings_state
    async with asyncio.TaskGroup() as group:
        tasks = Tasks(group, core.clock)
        applier = SettingsApplier(
            home,
            load_settings(home),
            core.app,
            tasks,
            Listeners(tasks, {}),
            core.clock,
            hosted=True,
        )
        manager = ServiceManager(clock=core.clock)
        reloader = ConfigReloader(home, applier, state, database, core.clock, manager, watch)
        member = Membership(database, home)
        begin = partial(
            SettingsExchange, home, reloader, state, database, member, core.clock, asyncio.Event()
        )
        exchange = begin()
        await exchange.share()
        yield Sharer(home, reloader, state, exchange, begin)
        tasks.cancel()


@pytest.fixture
async def two(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, core_on: Callable
) -> AsyncIterator[tuple[Sharer, Sharer]]:
    monkeypatch.setenv(VARIABLE, postgres.database().render_as_string(hide_password=False))
    async with AsyncExitStack() as stack:
        made = []
        for name in ("ada", "bob"):
            home = Home(tmp_path / name)
            home.create()
            core = await stack.enter_async_context(core_on(home, senders=()))
            made.append(await stack.enter_async_context(sharing(core, home)))
        yield made[0], made[1]


@pytest.mark.parametrize("gone", ["", None])
async def test_a_file_that_is_gone_tells_nothing_until_it_is_back(two, gone):
    ada, bob = two
    kept = ada.text
    if gone is None:
        ada.home.settings_file.unlink()
    else:
        ada.home.settings_file.write_text(gone)
    await ada.reloader.reload("a test asks")
    assert ada.currency == "USD"
    assert not await ada.exchange.share()
    await bob.exchange.share()
    assert bob.currency == "EUR"
    await bob.save(f"{bob.text}sessions: {{window_turns: 9}}\n")
    await ada.save(kept)
    assert ada.turns == 9
    assert ada.currency == "EUR"


@pytest.mark.parametrize("saved", ["costs: {currency: EUR}\nweb: {page: false}\n", "costs: {\n"])
async def test_what_is_saved_and_not_yet_taken_up_is_not_written_over(two, saved):
    ada, bob = two
    ada.home.settings_file.write_text(saved)
    await bob.save(f"{bob.text}sessions: {{window_turns: 9}}\n")
    assert not await ada.exchange.share()
    assert ada.text == saved
    await ada.save("costs: {currency: CHF}  # mine\n")
    assert (ada.turns, ada.currency) == (9, "CHF")
    assert ada.text.startswith("costs: {currency: CHF}  # mine\n")
    await bob.exchange.share()
    assert bob.currency == "CHF"


WHATSAPP = (
    "channels: {whatsapp: {enabled: true, number: '+14155238886', "
    "public_url: 'https://gaia.example.org'}}\n"
)


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ("web: {enabled: false}\n", "web.enabled is false"),
        ("memory: {recall_limit: 3}\n", "GAIA_TWILIO_ACCOUNT_SID is not set"),
    ],
)
async def test_what_no_daemon_could_start_with_is_not_taken_up(two, own, why):
    ada, bob = two
    await bob.save(own + bob.text)
    before = bob.text
    await ada.save(ada.text + WHATSAPP)
    await ada.save(f"{ada.text}sessions: {{window_turns: 9}}\n")
    for _ in range(2):
        await bob.exchange.share()
        assert bob.turns == 9
        assert bob.text.startswith(before)
        assert "whatsapp" not in bob.text
        health = bob.state.health()
        assert not health.ok
        assert why in health.detail
        assert "channels.whatsapp.enabled to true" in health.detail
    await ada.save(ada.text.replace(WHATSAPP, ""))
    await bob.exchange.share()
    assert bob.state.health().ok


async def test_a_home_without_a_file_gets_one(two):
    ada, bob = two
    await ada.save("costs: {currency: USD}\n")
    await bob.exchange.share()
    ada.home.settings_file.unlink()
    await ada.reloader.reload("a test asks")
    await bob.save("sessions: {window_turns: 9}\n")
    assert await ada.exchange.share()
    assert ada.turns == 9
    assert ada.text.startswith("# gaia's settings.")


async def test_how_far_it_was_is_begun_again_where_it_is_not_legible(two, caplog):
    ada, bob = two
    ada.home.shared_settings_file.write_text("{")
    running = asyncio.create_task(ada.begin().run())
    await until(lambda: ada.home.shared_settings_file.read_text() != "{")
    await ada.reloader.ended()
    running.cancel()
    await asyncio.wait([running])
    assert "is begun again" in caplog.text
    await bob.save(f"{bob.text}sessions: {{window_turns: 9}}\n")
    await ada.exchange.share()
    assert ada.turns == 9


async def test_where_how_far_it_is_cannot_be_kept_it_goes_on(two, caplog):
    ada, bob = two
    ada.home.shared_settings_file.unlink()
    ada.home.shared_settings_file.mkdir()
    await bob.save(f"{bob.text}sessions: {{window_turns: 9}}\n")
    await ada.exchange.share()
    assert ada.turns == 9
    assert "cannot be written" in caplog.text
    await ada.save(f"{ada.text}web: {{page: false}}\n")
    await bob.exchange.share()
    assert not bob.reloader.loaded.settings.web.page
