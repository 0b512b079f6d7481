"""What people do on WhatsApp arrives in the parameters that Twilio has for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.servers.twilio import Message, Person, TwilioServer
from tests.servers.twilio.callee import Callee

ADA = "+4915112345678"

DEEDS: dict[str, tuple[Callable[[Person], Message], dict[str, str]]] = {
    "text": (
        lambda ada: ada.writes("hello"),
        {"MessageType": "text", "Body": "hello", "NumMedia": "0"},
    ),
    "button": (
        lambda ada: ada.presses("Yes", "/yes"),
        {"MessageType": "button", "ButtonText": "Yes", "ButtonPayload": "/yes", "Body": "Yes"},
    ),
    "list": (
        lambda ada: ada.picks("Tea", "tea", "hot"),
        {"MessageType": "interactive", "ListId": "tea", "ListTitle": "Tea"},
    ),
    "place": (
        lambda ada: ada.sends_location(52.5, 13.4, "Home"),
        {"MessageType": "location", "Latitude": "52.5", "Longitude": "13.4", "Label": "Home"},
    ),
    "contact": (
        lambda ada: ada.sends_contact("Bob"),
        {"MessageType": "contacts", "MediaContentType0": "text/vcard", "NumMedia": "1"},
    ),
    "photo": (
        lambda ada: ada.sends_photo(caption="my cat"),
        {"MessageType": "image", "MediaContentType0": "image/png", "Body": "my cat"},
    ),
    "voice": (
        lambda ada: ada.sends_voice(),
        {"MessageType": "audio", "MediaContentType0": "audio/ogg", "Body": ""},
    ),
    "document": (
        lambda ada: ada.sends_document(b"a", "a.pdf", "application/pdf"),
        {"MessageType": "document", "MediaContentType0": "application/pdf", "Body": "a.pdf"},
    ),
    "forwarded": (
        lambda ada: ada.forwards("news"),
        {"Forwarded": "true", "FrequentlyForwarded": "false", "Body": "news"},
    ),
    "stop": (lambda ada: ada.stops(), {"Body": "STOP", "OptOutType": "STOP"}),
    "anything": (lambda ada: ada.sends(FlowData="{}"), {"FlowData": "{}", "Body": ""}),
}


@pytest.mark.parametrize("name", DEEDS)
async def test_what_people_do_arrives(twilio: TwilioServer, callee: Callee, name: str) -> None:
    do, told = DEEDS[name]
    done = do(twilio.person(ADA, "Ada"))
    await twilio.until_told()

    assert told.items() <= callee.forms[0].items()
    assert callee.forms[0]["MessageSid"] == done.sid


async def test_what_refers_to_a_message_names_it(twilio: TwilioServer, callee: Callee) -> None:
    ada = twilio.person(ADA, "Ada")
    written = ada.writes("hello")
    ada.replies_to(written, "hello again")
    ada.edits(written, "hullo")
    ada.reacts("👍", written)
    await twilio.until_told()

    _, replied, edited, reacted = callee.forms
    assert replied["OriginalRepliedMessageSid"] == written.sid
    assert replied["OriginalRepliedMessageSender"] == f"whatsapp:{ADA}"
    assert (edited["EditedMessageSid"], edited["Body"]) == (written.sid, "hullo")
    assert (reacted["MessageType"], reacted["Body"]) == ("reaction", "👍")


async def test_who_shows_no_number_has_an_opaque_id(twilio: TwilioServer, callee: Callee) -> None:
    twilio.person("DE.1A2B3C4D5E", "Eve").writes("hello")
    await twilio.until_told()

    form = callee.forms[0]
    assert (form["From"], form["ExternalUserId"], form["WaId"]) == (
        "whatsapp:DE.1A2B3C4D5E",
        "whatsapp:DE.1A2B3C4D5E",
        "",
    )


async def test_joining_the_sandbox_is_no_message(twilio: TwilioServer, callee: Callee) -> None:
    twilio.person(ADA).joins()
    await twilio.until_told()

    assert callee.told == []
