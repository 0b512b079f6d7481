from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import httpx
import pytest

from gaia.messages import AttachmentKind, DeliveryStage
from tests.servers.twilio import TwilioServer

if TYPE_CHECKING:
    from conftest import Rig

ADA = "+4915112345678"
NOBODYS_NUMBER = "DE.4566546130240823"
PUBLIC_URL = "https://gaia.example/of/ada"


async def test_what_people_write_is_received_in_order(rig: Rig) -> None:
    ada = rig.twilio.person(ADA, "Ada")
    sent = [ada.writes(text) for text in ("hello", "größe 日本 😀", "a&b=c%20+d")]
    received = await rig.until_received(3)
    assert rig.texts == ["hello", "größe 日本 😀", "a&b=c%20+d"]
    assert [each.provider_message_id for each in received] == [each.sid for each in sent]
    assert str(received[0].address) == f"whatsapp:{ADA}"
    assert (received[0].sender_name, received[0].sent_at) == ("Ada", rig.clock.now())
    await rig.twilio.until_told()
    assert [each.status for each in rig.twilio.calls_made] == [200, 200, 200]
    assert set(rig.core.state.reachable) == {ADA}


async def test_a_message_that_comes_again_is_taken_once(rig: Rig) -> None:
    rig.twilio.person(ADA).writes("hello")
    await rig.twilio.until_told()
    rig.twilio.redeliver()
    await rig.twilio.until_told()
    assert [each.status for each in rig.twilio.calls_made] == [200, 200]
    assert rig.texts == ["hello"]


async def test_who_shows_no_number_is_answered_by_their_id(rig: Rig) -> None:
    rig.twilio.person(NOBODYS_NUMBER).writes("hello")
    (inbound,) = await rig.until_received(1)
    assert inbound.chat == NOBODYS_NUMBER
    await rig.send(inbound.chat, "Hi.")
    assert rig.only_message().person == NOBODYS_NUMBER


async def test_what_is_no_text_is_told(rig: Rig) -> None:
    ada = rig.twilio.person(ADA)
    ada.writes("hello")
    await rig.send(ADA, "Tea?")
    ours = rig.only_message()
    ada.sends_location(52.5, 13.4, "Home", "Unter den Linden 1")
    ada.sends_contact("Bob")
    ada.replies_to(ours, "yes")
    ada.presses("Yes", "/yes")
    ada.picks("Green tea", "tea_2", "hot")
    ada.forwards("/forget")
    _, place, contact, reply, pressed, picked, forwarded = await rig.until_received(7)
    assert place.notes == ('(place: "Home", "Unter den Linden 1"; latitude 52.5, longitude 13.4)',)
    assert contact.notes == ("(a contact)",)
    assert contact.attachments[0].media_type == "text/vcard"
    assert (reply.text, reply.notes) == ("yes", ("(in reply to a message of yours)",))
    assert pressed.text == "/yes"
    assert (picked.text, picked.notes) == ("Green tea", ('(chosen from a list: "hot")',))
    assert (forwarded.text, forwarded.is_forwarded) == ('"/forget"', True)


async def test_files_come_with_their_captions_and_are_fetched_later(rig: Rig) -> None:
    ada = rig.twilio.person(ADA)
    ada.sends_photo(b"cat", caption="my cat")
    ada.sends_voice(b"words")
    ada.sends_document(b"%PDF-", "invoice.pdf", "application/pdf")
    received = await rig.until_received(3)
    assert [each.text for each in received] == ["my cat", "", ""]
    files = [each.attachments[0] for each in received]
    assert [each.kind for each in files] == [
        AttachmentKind.PHOTO,
        AttachmentKind.VOICE,
        AttachmentKind.DOCUMENT,
    ]
    assert files[2].file_name == "invoice.pdf"
    contents = [await rig.channel.fetch(each, limit_bytes=100) for each in files]
    assert contents == [b"cat", b"words", b"%PDF-"]


async def test_an_edit_replaces_and_a_reaction_says_nothing(rig: Rig) -> None:
    ada = rig.twilio.person(ADA)
    written = ada.writes("tea")
    ada.reacts("👍", written)
    ada.edits(written, "coffee")
    tea, coffee = await rig.until_received(2)
    assert (coffee.text, coffee.edit_of) == ("coffee", tea.provider_message_id)
    await rig.twilio.until_told()
    assert [each.status for each in rig.twilio.calls_made] == [200, 200, 200]
    assert len(rig.received) == 2


async def test_what_cannot_be_stored_is_found_later(rig: Rig) -> None:
    rig.core.store_is_broken = True
    rig.twilio.attempts = 1
    rig.twilio.person(ADA).writes("hello")
    await rig.twilio.until_told()
    assert [each.status for each in rig.twilio.calls_made] == [503]
    assert "cannot be stored" in rig.channel.health().detail
    rig.core.store_is_broken = False
    rig.clock.advance(300)
    (inbound,) = await rig.until_received(1)
    assert (inbound.text, inbound.is_late) == ("hello", True)


async def test_what_becomes_of_a_chunk_is_reported(rig: Rig) -> None:
    rig.twilio.person(ADA).writes("hello")
    sid = await rig.send(ADA, "Hi.", outbox_id=42)
    await rig.until_reported(2)
    reports = rig.core.state.reports
    assert {(each.outbox_id, each.provider_id) for each in reports} == {(42, sid)}
    assert [each.stage for each in reports] == [DeliveryStage.SENT, DeliveryStage.DELIVERED]


PROXIED = {"host": "localhost:8642", "x-forwarded-host": "evil.example.com"}


@pytest.mark.parametrize(
    ("url", "status"),
    [
        (f"{PUBLIC_URL}/hooks/whatsapp", 200),
        ("https://gaia.example:443/of/ada/hooks/whatsapp", 200),
        ("https://evil.example.com/hooks/whatsapp", 403),
        ("http://localhost:8642/hooks/whatsapp", 403),
        ("https://gaia.example/hooks/whatsapp", 403),
    ],
)
async def test_the_configured_address_counts_whatever_a_proxy_says(
    rig: Rig, url: str, status: int
) -> None:
    form = message(rig.twilio)
    answer = await ask(
        rig, form, {**PROXIED, "x-twilio-signature": rig.twilio.signature(url, form)}
    )
    assert answer.status_code == status
    assert rig.texts == (["canary"] if status == 200 else [])


@pytest.mark.parametrize(
    "headers",
    [{}, {"x-twilio-signature": ""}, {"x-twilio-signature": "A" * 27 + "="}],
    ids=["none", "empty", "wrong"],
)
async def test_nothing_unsigned_is_taken_and_no_word_of_it_is_told(
    rig: Rig, headers: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    answer = await ask(rig, message(rig.twilio), headers)
    assert (answer.status_code, answer.text) == (403, "")
    assert rig.received == []
    assert "canary" not in caplog.text
    assert ADA not in caplog.text


async def test_an_answer_tells_twilio_to_say_nothing(rig: Rig) -> None:
    form = message(rig.twilio)
    url = f"{PUBLIC_URL}/hooks/whatsapp"
    answer = await ask(rig, form, {"x-twilio-signature": rig.twilio.signature(url, form)})
    assert answer.headers["content-type"].startswith("text/xml")
    assert answer.text == '<?xml version="1.0" encoding="UTF-8"?><Response/>'


def message(twilio: TwilioServer) -> list[tuple[str, str]]:
    return [
        ("MessageSid", "SM" + "0" * 32),
        ("AccountSid", twilio.account_sid),
        ("From", f"whatsapp:{ADA}"),
        ("To", f"whatsapp:{twilio.number}"),
        ("Body", "canary"),
    ]


async def ask(rig: Rig, form: list[tuple[str, str]], headers: dict[str, str]) -> httpx.Response:
    """A request that a proxy passes on to where gaia listens."""
    kind = {"content-type": "application/x-www-form-urlencoded"}
    async with httpx.AsyncClient() as http:
        return await http.post(
            f"{rig.listens_at}/hooks/whatsapp",
            content=urlencode(form),
            headers=kind | headers,
        )
