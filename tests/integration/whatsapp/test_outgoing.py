"""The address of a file, through gaia's web routes as anybody reaches them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx
import pytest
from starlette.applications import Starlette

from gaia.messages import OutboundFile
from gaia.web.app import hook_routes

if TYPE_CHECKING:
    from conftest import Rig

ADA = "+4915112345678"
CONTENT = b"PK\x03\x04 memories"
FILE = OutboundFile(
    "gaia-2026-11-28.docx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    len(CONTENT),
)


@pytest.fixture
async def anybody(idle_rig: Rig) -> AsyncIterator[httpx.AsyncClient]:
    routes = hook_routes({"whatsapp": idle_rig.channel}.get)
    transport = httpx.ASGITransport(Starlette(routes=routes))
    async with httpx.AsyncClient(transport=transport, base_url="http://gaia") as client:
        yield client


async def path_of_file(rig: Rig) -> str:
    """Where Twilio was told to find a file that was sent."""
    rig.core.state.files[5] = CONTENT
    ada = rig.twilio.person(ADA)
    ada.writes("/export")
    await rig.send(ADA, "Here it is.", outbox_id=5, file=FILE)
    (url,) = rig.only_message().media_urls
    await rig.twilio.until(lambda: len(rig.twilio.messages(ada)) == 1)
    return url[url.index("/hooks/") :]


async def test_twilio_looks_first_and_then_fetches(rig: Rig, anybody: httpx.AsyncClient) -> None:
    path = await path_of_file(rig)
    head, got = await anybody.head(path), await anybody.get(path)
    for answer in (head, got):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == FILE.media_type
        assert answer.headers["content-length"] == str(len(CONTENT))
        assert answer.headers["content-disposition"] == 'inline; filename="gaia-2026-11-28.docx"'
    assert got.content == CONTENT


async def test_nothing_but_that_file_is_had_and_not_for_long(
    rig: Rig, anybody: httpx.AsyncClient
) -> None:
    path = await path_of_file(rig)
    rig.core.state.files[6] = b"somebody else's"
    assert (await anybody.get(path.replace("/5/", "/6/"))).status_code == 403
    assert (await anybody.get(f"{path}?x=1")).status_code == 200
    assert (await anybody.post(path)).status_code == 403
    rig.core.state.files.clear()
    assert (await anybody.get(path)).status_code == 404
    rig.clock.advance(3600)
    assert (await anybody.get(path)).status_code == 410


async def test_a_channel_that_does_not_serve_gives_no_file(
    idle_rig: Rig, anybody: httpx.AsyncClient
) -> None:
    async with idle_rig.serving():
        await idle_rig.until_well()
        path = await path_of_file(idle_rig)
    assert (await anybody.get(path)).status_code == 503
