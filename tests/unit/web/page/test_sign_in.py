"""Who gets in: a link once and soon, a browser until it is idle, and nobody else."""

from __future__ import annotations

import httpx
import pytest
from starlette.applications import Starlette

from gaia.ops.wire import PAGE_PATH, PageRequest
from gaia.settings.schema import Settings
from gaia.store.engine import Database
from gaia.store.page_sessions import IDLE_FOR, LINK_VALID_FOR, LONGEST, MOST_LINKS, NOTED_EACH
from gaia.store.people import identities
from gaia.store.people.identities import User
from gaia.testing.clock import START
from gaia.web.page.parts import page_link_route
from tests.harness.page_browser import BASE
from tests.harness.transactions import at_each_write
from tests.unit.web.page.conftest import Browse, Browser, Site

PATHS = (
    "/",
    "/memory/1",
    "/unsure",
    "/people",
    "/episodes",
    "/days",
    "/reminders",
    "/shared",
    "/prompt",
)


async def test_a_link_works_once(site: Site, browse: Browse, ada: User) -> None:
    link = await site.link(ada)
    first, second = browse(), browse()
    assert (await first.enter(link)).status_code == 303
    assert "remembers Ada" in await first.see("/")
    refused = await second.enter(link)
    assert refused.status_code == 403
    assert "does not work any more" in refused.text
    assert "set-cookie" not in refused.headers


async def test_who_guesses_links_keeps_no_write_waiting(
    database: Database, browse: Browse, ada: User
) -> None:
    writes: list[None] = []
    at_each_write(database, lambda: writes.append(None))
    assert (await browse().enter("/page/enter/guessed")).status_code == 403
    assert writes == []


async def test_looking_at_a_link_does_not_use_it_up(site: Site, browse: Browse, ada: User) -> None:
    link = await site.link(ada)
    for _ in range(3):
        seen = await browse().client.get(link)
        assert (seen.status_code, seen.cookies) == (200, {})
    assert (await browse().enter(link)).status_code == 303


async def test_a_link_ends_after_five_minutes(site: Site, browse: Browse, ada: User) -> None:
    link = await site.link(ada)
    site.clock.advance(LINK_VALID_FOR.total_seconds())
    assert (await browse().enter(link)).status_code == 403


async def test_a_session_ends_when_it_is_idle_and_in_any_case(
    site: Site, signed_in: Browser
) -> None:
    for _ in range(int(LONGEST / IDLE_FOR * 2) - 1):
        site.clock.advance(IDLE_FOR.total_seconds() / 2)
        await signed_in.see("/")
    site.clock.advance(IDLE_FOR.total_seconds() / 2)
    assert "not signed in" in await signed_in.see("/", 403)


async def test_an_idle_session_is_over(site: Site, signed_in: Browser) -> None:
    site.clock.advance(IDLE_FOR.total_seconds())
    assert "not signed in" in await signed_in.see("/", 403)


async def test_the_use_of_a_session_is_noted_once_a_minute(
    database: Database, site: Site, signed_in: Browser
) -> None:
    writes: list[None] = []
    at_each_write(database, lambda: writes.append(None))
    for _ in range(3):
        await signed_in.see("/")
    assert writes == []
    site.clock.advance(NOTED_EACH.total_seconds())
    for _ in range(3):
        await signed_in.see("/")
    assert len(writes) == 1


async def test_where_nothing_can_be_written_the_page_is_still_seen(
    database: Database, site: Site, signed_in: Browser
) -> None:
    site.clock.advance(NOTED_EACH.total_seconds())
    database.require(lambda: "the disk is full")
    assert "remembers Ada" in await signed_in.see("/")


async def test_who_signs_out_is_out(signed_in: Browser) -> None:
    cookies = dict(signed_in.client.cookies)
    assert "signed out" in (await signed_in.send("/leave")).text
    assert not signed_in.client.cookies
    signed_in.client.cookies.update(cookies)
    await signed_in.see("/", 403)


async def test_the_cookie_is_for_this_site_and_no_script(
    site: Site, browse: Browse, ada: User
) -> None:
    plain = (await browse().enter(await site.link(ada))).headers["set-cookie"].lower()
    assert {"httponly", "samesite=strict", "path=/page"} <= set(plain.split("; "))
    assert "secure" not in plain
    site.settings.replace(Settings.model_validate({"web": {"public_url": "https://gaia.example"}}))
    public = await browse("https://gaia.example").enter(await site.link(ada))
    assert "secure" in public.headers["set-cookie"].lower().split("; ")


@pytest.mark.parametrize("path", [*PATHS, "/state"])
async def test_nobody_sees_anything_without_a_session(browse: Browse, path: str) -> None:
    browser = browse()
    assert "not signed in" in await browser.see(path, 403)
    browser.client.cookies.set("gaia_page", "guessed")
    assert "not signed in" in await browser.see(path, 403)


async def test_a_removed_person_is_out(
    site: Site, browse: Browse, database: Database, ada: User, bob: User
) -> None:
    browser = browse()
    await browser.enter(await site.link(bob))
    await database.write(identities.leave_tombstone, bob, START)
    assert "not signed in" in await browser.see("/", 403)


@pytest.mark.parametrize("name", ["evil.example", "localhost.evil.example", "gaia.example"])
async def test_a_name_that_another_site_made_lead_here_is_refused(
    site: Site, browse: Browse, ada: User, name: str
) -> None:
    link = await site.link(ada)
    for answer in (
        await browse(f"http://{name}").client.get(link),
        await browse(f"http://{name}:8642").client.get("/page/"),
        await browse(f"http://{name}").enter(link),
    ):
        assert answer.status_code == 421
    assert (await browse().enter(link)).status_code == 303


@pytest.mark.parametrize("base", ["http://127.0.0.1:8642", "http://[::1]:1", "http://192.168.1.7"])
async def test_an_address_of_this_machine_is_taken(
    site: Site, browse: Browse, ada: User, base: str
) -> None:
    assert (await browse(base).enter(await site.link(ada))).status_code == 303


async def test_forms_of_others_do_nothing(site: Site, signed_in: Browser, book, ada) -> None:
    kept = await book.keep(ada, "I ski")
    path = f"/memory/{kept.memory.memory_id}/pin"
    token = signed_in.form_token
    for headers, form_token in (
        ({}, ""),
        ({}, "x" * 43),
        ({"Origin": "http://evil.example"}, token),
        ({"Origin": "null"}, token),
        ({"Sec-Fetch-Site": "cross-site"}, token),
        ({"Sec-Fetch-Site": "same-site"}, token),
    ):
        answer = await signed_in.client.post(
            f"/page{path}", data={"form_token": form_token}, headers=headers
        )
        assert answer.status_code == 403
    loaded = await signed_in.client.get(f"/page{path}")
    assert loaded.headers["location"] == f"/page/memory/{kept.memory.memory_id}"
    assert not (await book.stored(ada, kept.memory.memory_id)).pinned
    assert site.changes == 0
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    answer = await signed_in.client.post(
        f"/page{path}", data={"form_token": token}, headers=headers
    )
    assert answer.status_code == 303


async def test_a_form_that_is_too_long_is_refused(signed_in: Browser) -> None:
    assert (await signed_in.send("/", words="x" * 100_000)).status_code == 403


async def test_every_answer_keeps_others_out(signed_in: Browser, browse: Browse) -> None:
    for browser in (signed_in, browse()):
        headers = (await browser.client.get("/page/")).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"


async def test_no_template_has_a_style_or_a_script_within(signed_in: Browser) -> None:
    for path in PATHS[:1] + PATHS[2:]:
        page = await signed_in.see(path)
        assert "style=" not in page
        assert "<style" not in page
        assert " onclick" not in page
        assert page.count("<script") == page.count("<script src=")


async def test_links_that_nobody_opens_do_not_pile_up(
    site: Site, browse: Browse, ada: User, bob: User
) -> None:
    others = await site.link(bob)
    links = []
    for _ in range(MOST_LINKS + 1):
        site.clock.advance(1)
        links.append(await site.link(ada))
    assert (await browse().enter(links[0])).status_code == 403
    for link in (links[-1], others):
        assert (await browse().enter(link)).status_code == 303


async def test_it_can_be_switched_off(site: Site, signed_in: Browser) -> None:
    site.settings.replace(Settings.model_validate({"web": {"page": False}}))
    assert (await signed_in.client.get("/page/")).status_code == 404


async def test_a_public_link_needs_a_public_address(
    database: Database, site: Site, ada: User
) -> None:
    add = site.parts.add_public_link
    assert await database.write(add, ada.user_id, START) is None
    site.settings.replace(Settings.model_validate({"web": {"public_url": "https://gaia.example/"}}))
    link = await database.write(add, ada.user_id, START)
    assert link is not None
    assert link.startswith("https://gaia.example/page/enter/")


async def test_a_removed_person_gets_no_link(database: Database, site: Site, bob: User) -> None:
    app = Starlette(routes=[page_link_route(site.parts, lambda: BASE)])
    asked = PageRequest(user_id=bob.user_id).model_dump_json()
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url=BASE) as control:
        link = (await control.post(PAGE_PATH, content=asked)).json()
        await database.write(identities.leave_tombstone, bob, START)
        refused = await control.post(PAGE_PATH, content=asked)
    assert link["url"].startswith(f"{BASE}/page/enter/")
    assert link["seconds"] == 300
    assert refused.status_code == 422
    assert bob.user_id in refused.json()["error"]
