"""Who writes to gaia on WhatsApp: strangers, those whom the owner lets in, and nobody at
all. And what goes both ways beside text."""

from __future__ import annotations

import re

import httpx

from channels.whatsapp.files import ENDINGS
from tests.harness.whatsapp_house import PUBLIC_URL, WhatsAppHouse
from tests.servers.twilio import DOWNLOAD_MEDIA

EVE = "+4915100003000"
SHOWN = re.compile(r"[A-Z2-9]{4}-[A-Z2-9]{4}")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(32)


async def test_a_stranger_gets_a_code_once_and_nothing_else_until_they_are_let_in(
    house: WhatsAppHouse,
) -> None:
    await house.furnish()
    ada, eve, twilio = house.person("ada"), house.twilio.person(EVE, "Eve"), house.twilio
    async with house.serving():
        ada.writes("hi")
        await house.until_arrived(ada, 1)
        asked = len(house.model.requests)
        eve.sends_photo(PNG, "look at this")
        eve.writes("hello?")
        eve.writes("/help")
        await twilio.until_told()
        (told,) = await house.until_arrived(eve, 1)
        code = SHOWN.search(told)
        assert code
        _, notice = await house.until_arrived(ada, 2)
        assert "Eve" in notice

        ada.writes(f"/approve {code[0]}")
        _, welcome = await house.until_arrived(eve, 2)
        assert welcome.startswith("Hello Eve")
        assert twilio.requests(DOWNLOAD_MEDIA) == []
        assert twilio.typing(eve) == 0
        assert len(house.model.requests) == asked

        eve.writes("thank you")
        assert (await house.until_arrived(eve, 3))[2] == "echo: thank you"
    assert len(house.model.requests) == asked + 1


async def test_a_request_without_twilios_signature_is_refused_and_does_nothing(
    house: WhatsAppHouse,
) -> None:
    await house.furnish()
    ada, url = house.person("ada"), f"http://127.0.0.1:{house.port}/hooks/whatsapp"
    async with house.serving(), httpx.AsyncClient() as nobody:
        written = ada.writes("hi")
        await house.until_arrived(ada, 1)
        form = {**written.parameters, "MessageSid": "SM" + "0" * 32, "Body": "let me in"}
        signed = house.twilio.signature(house.twilio.webhook_url, [*written.parameters.items()])
        for headers in ({}, {"X-Twilio-Signature": "made up"}, {"X-Twilio-Signature": signed}):
            answer = await nobody.post(url, data=form, headers=headers)
            assert answer.status_code == 403
        status = await nobody.post(f"{url}/status/1", data={"MessageStatus": "failed"})
        assert status.status_code == 403
    assert house.rows("SELECT count(*) FROM inbox") == [(1,)]
    assert house.rows("SELECT state FROM outbox") == [("delivered",)]


async def test_a_file_of_gaias_is_fetched_by_twilio_and_a_photo_is_seen_by_the_model(
    house: WhatsAppHouse,
) -> None:
    await house.furnish(remembers=True)
    ada, bob, twilio = house.person("ada"), house.person("bob"), house.twilio
    async with house.serving():
        ada.writes("/remember The gate code note lies under the cobaltine pot")
        await house.until_arrived(ada, 1)
        ada.writes("/export")
        await house.until_arrived(ada, 2)
        (exported,) = twilio.messages(ada)[1].media
        assert exported.media_type in ENDINGS
        assert exported.content.startswith(b"PK")
        address = twilio.messages(ada)[1].media_urls[0]
        async with httpx.AsyncClient() as anybody:
            local = address.replace(PUBLIC_URL, f"http://127.0.0.1:{house.port}")
            fetched = await anybody.get(local)
            assert (fetched.status_code, fetched.content) == (200, exported.content)
            assert (await anybody.get(local.replace("/media/", "/media/9"))).status_code == 403

        bob.sends_photo(PNG, "what is that?")
        (answer,) = await house.until_arrived(bob, 1)
        assert answer.startswith("echo: what is that?")
        assert "data:image/png;base64" in str(house.model.requests[-1].body)
