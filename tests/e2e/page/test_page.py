"""The memory page of a real daemon in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
import pytest
from playwright.async_api import Browser, Page

from gaia.clock import SystemClock
from gaia.memory import ledger, pending
from gaia.paths import Home
from gaia.store.memory_tables import MemorySource
from gaia.store.opener import open_database
from gaia.store.people import identities
from gaia.store.people.identities import Role
from gaia.testing.clock import START
from tests.e2e.conftest import RunGaia, RunningDaemon
from tests.harness.book import said
from tests.harness.browser import barriers, needs_chromium, running_browser
from tests.harness.traces import DATABASE, files_with

POT = "The gate code is under the blue pot"
SETTINGS = """
model: {provider: openai, base_url: "http://127.0.0.1:9/v1"}
web: {port: 0}
"""
PAGES = (
    "",
    "unsure",
    "people",
    "episodes",
    "days",
    "reminders",
    "shared",
    "prompt",
    "state",
    "memory/1",
)

pytestmark = [needs_chromium, pytest.mark.timeout(300)]


@dataclass
class Visitor:
    """Somebody at a browser, what its console said, and what it asked the daemon for."""

    page: Page
    base: str
    told: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def see(self, path: str) -> None:
        await self.page.goto(f"{self.base}/page/{path}")


async def fill(home: Home, number: int = 0) -> None:
    """Ada with a memory of each sort, and `number` more; Bob with one."""
    database = await open_database(home)
    ada = await database.write(identities.create, "Ada", Role.OWNER, now=START)
    bob = await database.write(identities.create, "Bob", Role.MEMBER, now=START)
    now = SystemClock().now()
    with database.writing() as session:
        ledger.add(session, ada.user_id, said(POT), now)
        quote = "By the way, Grace is my sister"
        ledger.add(
            session,
            ada.user_id,
            said(
                "Grace is my sister",
                MemorySource.DIGEST,
                quote=quote,
                subject="Grace",
                predicate="sister of",
                object="the user",
            ),
            now,
        )
        pending.add(session, ada.user_id, said("I might ski"), now)
        ledger.add(session, bob.user_id, said("Bob's own cellar key"), now)
        for each in range(number):
            ledger.add(session, ada.user_id, said(f"Thing number {each} is in the shed"), now)
    await database.close()


async def link(home: Home, run_gaia: RunGaia, user: str = "Ada") -> str:
    done = await run_gaia(home, "memory", "page", "--user", user, "--json")
    assert done.code == 0, done.stderr
    url: str = json.loads(done.stdout)["url"]
    return url


@asynccontextmanager
async def visiting(browser: Browser, url: str, **options: object) -> AsyncIterator[Visitor]:
    """A browser of its own, signed in by a link."""
    context = await browser.new_context(**options)  # type: ignore[arg-type]
    page = await context.new_page()
    visitor = Visitor(page, url.partition("/page/")[0])
    page.on("console", lambda message: visitor.told.append(message.text))
    page.on("pageerror", lambda error: visitor.told.append(str(error)))
    page.on("request", lambda request: visitor.asked.append(request.url))
    await page.goto(url)
    await page.wait_for_url("**/page/")
    yield visitor
    await context.close()


async def test_a_person_sees_changes_and_forgets_their_memories(
    home: Home, run_gaia: RunGaia, running_daemon: RunningDaemon
) -> None:
    home.settings_file.write_text(SETTINGS)
    await fill(home)
    async with running_daemon(home) as daemon, running_browser() as browser:
        async with visiting(browser, await link(home, run_gaia)) as visitor:
            page = visitor.page
            await page.get_by_label("Search").fill("gate code")
            await page.keyboard.press("Enter")
            await page.get_by_text("found, the best first").wait_for()
            await page.get_by_text("Why it was found").first.click()
            await page.get_by_text("BM25").first.wait_for()
            await page.get_by_role("button", name="Pin memory 1").focus()
            await page.keyboard.press("Enter")
            await page.get_by_role("status").get_by_text("Pinned").wait_for()
            await page.locator("[aria-label='Unpin memory 1']:focus").wait_for()
            await page.get_by_label("Search").fill("")
            await page.get_by_label("Kind").select_option("rule")
            await page.get_by_text("None of your memories is of that sort").wait_for()
            await visitor.see("unsure")
            await page.get_by_role("button", name="Keep memory 3").click()
            await page.get_by_role("status").get_by_text("Kept").wait_for()
            await visitor.see("memory/2")
            await page.get_by_label("The words").fill("Grace is my older sister")
            await page.get_by_role("button", name="Save").click()
            await page.get_by_role("heading", name="Before that").wait_for()
            await visitor.see("memory/1")
            await page.get_by_role("button", name="Forget memory 1").click()
            await page.get_by_text("It cannot be undone").wait_for()
            await page.get_by_role("button", name="Forget").click()
            await page.get_by_text("Forgotten: 1 memory").wait_for()
            await page.get_by_role("button", name="Sign out").click()
            await page.get_by_text("You are signed out").wait_for()
            assert visitor.told == []
            assert not [url for url in visitor.asked if re.search("gate|pot|sister|Grace", url)]
            assert all(url.startswith(visitor.base) for url in visitor.asked)
        kept = await run_gaia(home, "memory", "list", "--user", "Ada", "--json")
        texts = [each["text"] for each in json.loads(kept.stdout)["memories"]]
        assert texts == ["Grace is my older sister", "I might ski"]
        await daemon.until_logged("forgotten for good")
        assert await daemon.terminate() == 0
    assert POT not in "\n".join(daemon.log)
    assert DATABASE not in files_with(home.root, POT)


async def test_a_link_is_for_one_person_once(
    home: Home, run_gaia: RunGaia, running_daemon: RunningDaemon
) -> None:
    home.settings_file.write_text(SETTINGS)
    await fill(home)
    async with running_daemon(home), running_browser() as browser:
        url = await link(home, run_gaia, "Bob")
        async with visiting(browser, url) as bob:
            assert "Bob's own cellar key" in await bob.page.content()
            await bob.see("memory/1")
            assert "no such memory" in await bob.page.content()
            await bob.see("state")
            assert "no such memory" in await bob.page.content()
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(url)
        await page.get_by_text("does not work any more").wait_for()
        assert await context.cookies() == []
    stored = b"".join(path.read_bytes() for path in home.root.rglob("*") if path.is_file())
    assert url.rpartition("/")[2].encode() not in stored


async def test_1000_memories_and_every_page_are_for_all(
    home: Home, run_gaia: RunGaia, running_daemon: RunningDaemon
) -> None:
    home.settings_file.write_text(SETTINGS)
    await fill(home, 1000)
    async with running_daemon(home), running_browser() as browser:
        for options in (
            {"color_scheme": "light", "viewport": {"width": 1200, "height": 900}},
            {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}},
        ):
            async with visiting(browser, await link(home, run_gaia), **options) as visitor:
                for path in PAGES:
                    await visitor.see(path)
                    assert await barriers(visitor.page) == [], (path, options)
                    width = await visitor.page.evaluate("document.documentElement.scrollWidth")
                    assert width <= options["viewport"]["width"], path  # type: ignore[index]
                assert visitor.told == []
                await visitor.see("")
                await visitor.page.keyboard.press("Tab")
                skip = await visitor.page.evaluate("document.activeElement.textContent")
                assert skip == "Skip to the content"
                assert await visitor.page.locator(".memory").count() == 50
                await visitor.page.get_by_role("button", name="Older").click()
                await visitor.page.get_by_text("page 2 of 21").wait_for()
                await visitor.page.locator("#found:focus").wait_for()


async def test_the_way_back_a_double_click_and_a_gaia_that_is_gone(
    home: Home, run_gaia: RunGaia, running_daemon: RunningDaemon
) -> None:
    home.settings_file.write_text(SETTINGS)
    await fill(home, 60)
    async with running_daemon(home) as daemon, running_browser() as browser:
        phone = {"viewport": {"width": 360, "height": 640}}
        async with visiting(browser, await link(home, run_gaia), **phone) as visitor:
            page = visitor.page
            await page.get_by_label("Kind").select_option("fact")
            await page.get_by_role("button", name="Older").click()
            await page.get_by_text("page 2 of 2").wait_for()
            await page.locator(".words a").first.click()
            await page.get_by_role("heading", name="Edit").wait_for()
            await page.go_back()
            await page.get_by_text("page 2 of 2").wait_for()
            assert await page.get_by_label("Kind").input_value() == "fact"
            await page.get_by_role("link", name="Memories", exact=True).click()
            await page.get_by_text("page 1 of 2").wait_for()
            pin = page.get_by_role("button", name="Pin memory 64")
            await pin.scroll_into_view_if_needed()
            box = await pin.bounding_box()
            assert box is not None
            await page.mouse.move(box["x"] + 9, box["y"] + 9)
            for click in (1, 2):
                await page.mouse.down(click_count=click)
                await page.mouse.up(click_count=click)
                await page.get_by_role("button", name="Unpin memory 64").wait_for()
            await visitor.see("state")
            place = await page.locator("nav [aria-current]").bounding_box()
            assert place is not None
            assert place["x"] + place["width"] <= 360
            await visitor.see("")
            await daemon.kill()
            await page.get_by_role("button", name="Pin memory 63").click()
            await page.get_by_role("status").get_by_text("gaia does not answer").wait_for()


async def test_it_works_without_scripts(
    home: Home, run_gaia: RunGaia, running_daemon: RunningDaemon
) -> None:
    home.settings_file.write_text(SETTINGS)
    await fill(home, 60)
    async with running_daemon(home), running_browser() as browser:
        context = await browser.new_context(java_script_enabled=False)
        page = await context.new_page()
        await page.goto(await link(home, run_gaia))
        await page.get_by_role("button", name="Open").click()
        await page.get_by_role("button", name="Older").click()
        await page.get_by_text("page 2 of 2").wait_for()
        await page.get_by_role("button", name="Pin memory 1", exact=True).click()
        await page.get_by_text("It comes before all others").wait_for()


@pytest.mark.parametrize("web", ["{enabled: false}", "{page: false, port: 0}"])
async def test_without_a_web_server_a_port_of_this_machine_is_opened(
    home: Home, run_gaia: RunGaia, running_daemon: RunningDaemon, web: str
) -> None:
    home.settings_file.write_text(SETTINGS.replace("{port: 0}", web))
    await fill(home)
    done = await run_gaia(home, "memory", "page", "--user", "Ada")
    assert done.code == 3
    assert "gaia serve" in done.stderr
    async with running_daemon(home):
        if "page" in web:
            done = await run_gaia(home, "memory", "page", "--user", "Ada")
            assert done.code == 1
            assert "web.page" in done.stderr
            return
        first, second = await link(home, run_gaia), await link(home, run_gaia)
        assert first.startswith("http://127.0.0.1:")
        assert first.partition("/page")[0] == second.partition("/page")[0]
        async with httpx.AsyncClient() as client:
            assert (await client.get(first)).status_code == 200
