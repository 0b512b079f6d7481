"""A chunk with a file is a document, with the text below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from channels.telegram.sender import NO_FILES
from gaia.core.slash import LONGEST_BESIDE_FILE
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    SendError,
    StoreError,
    UnknownSendError,
)
from gaia.messages import REPEAT_MARK, Button, OutboundFile
from gaia.testing.scripted_core import ScriptedCore
from tests.servers.telegram import (
    BadGateway,
    BadRequest,
    Blocked,
    CutAfterRead,
    Fault,
    TooManyRequests,
)

if TYPE_CHECKING:
    from conftest import Rig

ADA, GROUP = 100, -500
SEND = "sendDocument"
CONTENT = b"# What gaia remembers \xf0\x9f\x90\x88\x00\xff"
FILE = OutboundFile("gaia-2026-11-28.txt", "text/plain", len(CONTENT))


@pytest.fixture(autouse=True)
def content(idle_rig: Rig) -> None:
    idle_rig.core.state.files[1] = CONTENT


async def test_a_file_is_a_document_with_the_text_below_it(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    (text,) = rig.channel.split("**12** memories & more")
    name = await rig.send(ADA, text, file=FILE, buttons=(Button("More", "/memory"),))
    (message,) = rig.telegram.messages(ada)
    assert rig.telegram.content(message) == CONTENT
    assert message.document is not None
    assert (message.document["file_name"], message.document["mime_type"]) == (
        "gaia-2026-11-28.txt",
        "text/plain",
    )
    assert message.text == "12 memories & more"
    assert [entity["type"] for entity in message.entities] == ["bold"]
    assert message.buttons == {"More": "/memory"}
    assert name == f"{ADA}:{message.message_id}"


async def test_a_file_goes_with_the_chunk_that_has_it_and_no_other(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    await rig.send(ADA, "one")
    await rig.send(ADA, "two", file=FILE)
    one, two = rig.telegram.messages(ada)
    assert rig.telegram.content(one) is None
    assert rig.telegram.content(two) == CONTENT


async def test_a_file_that_is_gone_leaves_its_text(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    rig.core.state.files.clear()
    await rig.send(ADA, "Your file is gone.", file=FILE)
    assert rig.telegram.texts(ada) == ["Your file is gone."]
    assert rig.telegram.requests(SEND) == []


async def test_the_longest_text_beside_a_file_fits_below_it(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    text = "🐈" * LONGEST_BESIDE_FILE
    await rig.send(ADA, text, file=FILE, is_repeat=True)
    assert rig.telegram.texts(ada) == [REPEAT_MARK + text]


async def test_formatting_that_telegram_cannot_read_is_left_out_and_the_file_is_not(
    rig: Rig,
) -> None:
    ada = rig.telegram.person(ADA)
    rig.telegram.faults = lambda request: (
        BadRequest("can't parse entities: Unsupported start tag") if request.count == 1 else None
    )
    await rig.send(ADA, "<b>bold</b>", file=FILE)
    (message,) = rig.telegram.messages(ada)
    assert (message.text, message.entities) == ("bold", [])
    assert rig.telegram.content(message) == CONTENT


async def test_a_file_goes_to_its_topic_as_an_answer(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada], is_forum=True)
    topic = group.opens_topic(ada, "Trips")
    asked = ada.writes(f"/export@{rig.telegram.bot_username}", to=group, thread=topic)
    await rig.send(f"{GROUP}:{topic}", file=FILE, in_reply_to=(f"{GROUP}:{asked.message_id}",))
    (message,) = rig.telegram.messages(group, thread=topic)
    assert message.reply_to == asked.message_id
    assert rig.telegram.content(message) == CONTENT


@pytest.mark.parametrize(
    "reason",
    [
        "not enough rights to send documents to the chat",
        "CHAT_SEND_DOCS_FORBIDDEN",
        "CHAT_SEND_MEDIA_FORBIDDEN",
    ],
)
async def test_a_file_that_the_group_does_not_take_is_left_out_and_said_to_be(
    rig: Rig, reason: str
) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada])
    rig.telegram.faults = lambda request: BadRequest(reason) if request.method == SEND else None
    await rig.send(GROUP, "<b>All</b> of it.", file=FILE, buttons=(Button("More", "/memory"),))
    (message,) = rig.telegram.messages(group)
    assert message.text == f"All of it.\n\n{NO_FILES}"
    assert [entity["type"] for entity in message.entities] == ["bold"]
    assert message.buttons == {"More": "/memory"}
    assert rig.telegram.content(message) is None


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Blocked(), PermanentSendError),
        (BadRequest("file must be non-empty"), PermanentSendError),
        (BadRequest("wrong file identifier/HTTP URL specified"), PermanentSendError),
        (BadRequest("file is too big"), PermanentSendError),
        (BadRequest("MEDIA_EMPTY"), PermanentSendError),
        (BadRequest("not enough rights to send text messages to the chat"), RetryableSendError),
        (BadRequest("have no rights to send a message"), RetryableSendError),
        (BadRequest("CHAT_SEND_PLAIN_FORBIDDEN"), RetryableSendError),
        (TooManyRequests(7), RetryableSendError),
        (BadGateway(), RetryableSendError),
        (CutAfterRead(processed=True), UnknownSendError),
    ],
    ids=repr,
)
async def test_a_fault_is_the_error_that_it_is_for_text(
    rig: Rig, fault: Fault, kind: type[SendError]
) -> None:
    rig.telegram.person(ADA)
    rig.telegram.faults = lambda request: fault if request.method == SEND else None
    with pytest.raises(SendError) as raised:
        await rig.send(ADA, file=FILE)
    assert type(raised.value) is kind
    assert rig.telegram.token not in str(raised.value)
    assert len(rig.telegram.requests(SEND)) == 1


async def test_a_file_that_cannot_be_read_now_is_sent_later(idle_rig: Rig) -> None:
    class BrokenCore(ScriptedCore):
        async def file(self, outbox_id: int) -> bytes | None:
            raise StoreError("the disk is gone: bring it back")

    idle_rig.telegram.person(ADA)
    idle_rig.core = BrokenCore(idle_rig.channel, idle_rig.clock)
    async with idle_rig.serving():
        await idle_rig.until_well()
        with pytest.raises(RetryableSendError):
            await idle_rig.send(ADA, file=FILE)
    assert idle_rig.telegram.messages() == []
