from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gaia.errors import AttachmentError
from gaia.messages import Attachment
from tests.servers.telegram import BadGateway, Hang

if TYPE_CHECKING:
    from conftest import Rig

ADA, LIMIT = 100, 1 << 18


async def sent(rig: Rig, content: bytes, *, size: int | None = None) -> Attachment:
    """What arrives of a document."""
    rig.telegram.person(ADA).sends_document(content, size=size)
    (inbound,) = await rig.until_received(1)
    return inbound.attachments[0]


async def test_a_file_is_fetched(rig: Rig) -> None:
    attachment = await sent(rig, b"x" * LIMIT)
    assert await rig.channel.fetch(attachment, limit_bytes=LIMIT) == b"x" * LIMIT


async def test_a_file_that_is_known_to_be_too_large_is_not_asked_for(rig: Rig) -> None:
    attachment = await sent(rig, b"x", size=LIMIT + 1)
    with pytest.raises(AttachmentError, match=r"larger than 0\.25 MB"):
        await rig.channel.fetch(attachment, limit_bytes=LIMIT)
    assert rig.telegram.requests("getFile") == []


async def test_a_file_that_is_larger_than_it_says_is_given_up(rig: Rig) -> None:
    attachment = replace(await sent(rig, b"x" * (LIMIT + 1), size=5), size_bytes=None)
    with pytest.raises(AttachmentError, match=r"larger than 0\.25 MB"):
        await rig.channel.fetch(attachment, limit_bytes=LIMIT)


async def test_a_file_beyond_telegrams_own_limit_says_so(rig: Rig) -> None:
    attachment = await sent(rig, b"x", size=21_000_000)
    with pytest.raises(AttachmentError, match="larger than 20 MB, more than Telegram gives"):
        await rig.channel.fetch(attachment, limit_bytes=50_000_000)


async def test_a_file_that_is_gone_is_told_without_its_address(rig: Rig) -> None:
    attachment = await sent(rig, b"x")
    rig.telegram.world.files.lose(attachment.file_id)
    with pytest.raises(AttachmentError, match="HTTP 404") as raised:
        await rig.channel.fetch(attachment, limit_bytes=LIMIT)
    assert "http:" not in str(raised.value)
    with pytest.raises(AttachmentError, match="Wrong file_id"):
        await rig.channel.fetch(replace(attachment, file_id="nonsense"), limit_bytes=LIMIT)


async def test_a_fault_is_told(rig: Rig) -> None:
    attachment = await sent(rig, b"x")
    rig.telegram.faults = lambda request: BadGateway()
    with pytest.raises(AttachmentError, match="HTTP 502"):
        await rig.channel.fetch(attachment, limit_bytes=LIMIT)


async def test_a_file_that_does_not_arrive_is_given_up(rig: Rig) -> None:
    attachment = await sent(rig, b"x")
    rig.telegram.faults = lambda request: Hang() if request.method == "getFile" else None
    task = asyncio.create_task(rig.channel.fetch(attachment, limit_bytes=LIMIT))
    await rig.telegram.until(lambda: bool(rig.telegram.requests("getFile")))
    await rig.sleep_off(120)
    with pytest.raises(AttachmentError, match="did not arrive within 120 s"):
        await task


async def test_a_channel_that_does_not_serve_fetches_nothing(idle_rig: Rig) -> None:
    async with idle_rig.serving():
        attachment = await sent(idle_rig, b"x")
    with pytest.raises(AttachmentError, match="does not serve"):
        await idle_rig.channel.fetch(attachment, limit_bytes=LIMIT)
