from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gaia.errors import AttachmentError
from gaia.messages import Attachment, AttachmentKind
from gaia.testing.clock import until
from tests.servers.serve import serving
from tests.servers.twilio import (
    DOWNLOAD_MEDIA,
    BadGateway,
    CutAfterRead,
    Fault,
    Hang,
    Refused,
)

if TYPE_CHECKING:
    from conftest import BuildRig, Rig

ADA = "+4915112345678"
MEGABYTE = 1_000_000


async def sent_photo(rig: Rig, content: bytes = b"photo") -> Attachment:
    rig.twilio.person(ADA).sends_photo(content)
    (inbound,) = await rig.until_received(1)
    (photo,) = inbound.attachments
    return photo


def meets(rig: Rig, fault: Fault) -> None:
    rig.twilio.faults = lambda request: fault if request.operation == DOWNLOAD_MEDIA else None


async def test_a_file_is_fetched_where_twilio_redirects_to(rig: Rig) -> None:
    rig.twilio.moves_files()
    photo = await sent_photo(rig, b"x" * MEGABYTE)
    assert await rig.channel.fetch(photo, limit_bytes=MEGABYTE) == b"x" * MEGABYTE


async def test_a_file_above_the_limit_is_not_read_to_its_end(rig: Rig) -> None:
    photo = await sent_photo(rig, b"x" * MEGABYTE)
    with pytest.raises(AttachmentError, match="is larger than"):
        await rig.channel.fetch(photo, limit_bytes=MEGABYTE // 2)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (BadGateway(), "HTTP 502"),
        (Refused(404, 20404), "is gone at Twilio"),
        (Refused(401, 20003), "HTTP 401"),
        (CutAfterRead(), "cannot be downloaded"),
    ],
    ids=repr,
)
async def test_a_file_that_cannot_be_had_says_why(rig: Rig, fault: Fault, words: str) -> None:
    photo = await sent_photo(rig)
    meets(rig, fault)
    with pytest.raises(AttachmentError, match=words):
        await rig.channel.fetch(photo, limit_bytes=MEGABYTE)


async def test_a_download_has_its_time(rig: Rig) -> None:
    photo = await sent_photo(rig)
    meets(rig, Hang())
    fetching = asyncio.create_task(rig.channel.fetch(photo, limit_bytes=MEGABYTE))
    await rig.twilio.until(lambda: bool(rig.twilio.requests(DOWNLOAD_MEDIA)))
    await until(lambda: rig.is_asleep_for(120))
    rig.clock.advance(120)
    with pytest.raises(AttachmentError, match="did not arrive within 120 s"):
        await fetching


@pytest.mark.parametrize(
    "file_id",
    [
        "https://evil.example/2010-04-01/x",
        "/2010-04-01/Accounts.json",
        f"/2010-04-01/Accounts/AC{'0' * 32}/Messages/MM{'0' * 32}/Media/ME{'0' * 32}",
        "",
    ],
)
async def test_nothing_else_is_asked_for_with_the_credentials(rig: Rig, file_id: str) -> None:
    before = len(rig.twilio.requests())
    with pytest.raises(AttachmentError, match="no file of this Twilio account"):
        await rig.channel.fetch(
            Attachment(AttachmentKind.PHOTO, file_id, "image/png"), limit_bytes=MEGABYTE
        )
    assert len(rig.twilio.requests()) == before


async def test_a_file_is_not_fetched_while_the_channel_does_not_serve(idle_rig: Rig) -> None:
    photo = Attachment(AttachmentKind.PHOTO, "/2010-04-01/x", "image/png")
    with pytest.raises(AttachmentError, match="does not serve"):
        await idle_rig.channel.fetch(photo, limit_bytes=MEGABYTE)


@pytest.mark.parametrize(("hops", "is_found"), [(3, True), (4, False)])
async def test_three_redirects_are_followed_and_other_hosts_are_shown_no_credentials(
    build_rig: BuildRig, hops: int, *, is_found: bool
) -> None:
    shown: list[str | None] = []

    async def answer(request: Request) -> Response:
        if request.url.path.endswith("/Messages.json"):
            return Response(b"{}")  # The channel looks for messages.
        shown.append(request.headers.get("authorization"))
        if len(shown) > hops:
            return Response(b"content")
        return RedirectResponse(f"http://localhost:{request.url.port}/{len(shown)}", 307)

    async with serving(Starlette(routes=[Route("/{path:path}", answer)])) as url:
        rig = build_rig(base_url=url)
        async with rig.serving():
            folder = f"/2010-04-01/Accounts/{rig.twilio.account_sid}/Messages/MM{'0' * 32}"
            photo = Attachment(AttachmentKind.PHOTO, f"{folder}/Media/ME{'0' * 32}", "image/png")
            if is_found:
                assert await rig.channel.fetch(photo, limit_bytes=10) == b"content"
            else:
                with pytest.raises(AttachmentError, match="too many redirects"):
                    await rig.channel.fetch(photo, limit_bytes=10)
    assert shown[0] is not None
    assert shown[1:] == [None] * 3
