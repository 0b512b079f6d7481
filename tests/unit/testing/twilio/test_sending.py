"""A message of gaia's is taken, and reaches the person, as on Twilio."""

from __future__ import annotations

import json

import pytest
from twilio.rest import Client
from twilio.rest.api.v2010.account.message import MessageInstance

from channels.whatsapp.errors import RefusedError, StatusError
from gaia.testing.clock import FakeClock
from tests.servers.twilio import NUMBER, Person, TwilioServer

HOUR = 3600


async def send(client: Client, person: Person, text: str, **more: object) -> MessageInstance:
    return await client.messages.create_async(
        to=f"whatsapp:{person.address}", from_=f"whatsapp:{NUMBER}", body=text, **more
    )


@pytest.fixture
def ada(twilio: TwilioServer) -> Person:
    person = twilio.person("+4915112345678", "Ada")
    person.writes("hi")
    return person


async def refusal_of(client: Client, **request: object) -> int:
    with pytest.raises(RefusedError) as caught:
        await client.messages.create_async(**request)
    return caught.value.code


async def test_a_message_reaches_the_person(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    sent = await send(client, ada, "hello")

    assert sent.status == "queued"
    await twilio.until(lambda: twilio.texts(ada) == ["hello"])
    message = twilio.messages(ada)[0]
    await twilio.until(lambda: twilio.messages(ada)[0].acknowledged)
    assert message.sid == sent.sid
    assert (await client.messages(sent.sid).fetch_async()).status == "delivered"
    assert twilio.violations == ()


async def test_free_text_fails_a_day_after_the_last_words(
    client: Client, twilio: TwilioServer, ada: Person, clock: FakeClock
) -> None:
    clock.advance(24 * HOUR)
    sent = await send(client, ada, "hello")

    await twilio.until(lambda: twilio.accepted(ada)[0].status == "undelivered")
    fetched = await client.messages(sent.sid).fetch_async()
    assert (fetched.error_code, twilio.texts(ada)) == (63016, [])

    ada.writes("I am back")
    await send(client, ada, "welcome")
    await twilio.until(lambda: twilio.texts(ada) == ["welcome"])


async def test_a_template_passes_when_free_text_does_not(
    client: Client, twilio: TwilioServer
) -> None:
    bob = twilio.person("+4915112345679", "Bob")
    sid = twilio.template("News: {{1}}!")
    variables = json.dumps({"1": "rain"})

    await client.messages.create_async(
        to="whatsapp:+4915112345679",
        from_=f"whatsapp:{NUMBER}",
        content_sid=sid,
        content_variables=variables,
    )

    await twilio.until(lambda: twilio.texts(bob) == ["News: rain!"])


@pytest.mark.parametrize("variables", ['{"1": "a\\nb"}', '{"1": ""}', '{"1": 7}', "[]", "no"])
async def test_variables_that_whatsapp_would_not_take_are_refused(
    client: Client, twilio: TwilioServer, ada: Person, variables: str
) -> None:
    template = twilio.template("News: {{1}}")

    code = await refusal_of(
        client,
        to=f"whatsapp:{ada.address}",
        from_=f"whatsapp:{NUMBER}",
        content_sid=template,
        content_variables=variables,
    )

    assert code == 21656


async def test_a_template_that_is_paused_or_lacks_a_variable_fails_later(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    paused, empty = twilio.template("Hi", failure=63040), twilio.template("News: {{1}}")

    for template in (paused, empty):
        await client.messages.create_async(
            to=f"whatsapp:{ada.address}", from_=f"whatsapp:{NUMBER}", content_sid=template
        )

    await twilio.until(lambda: [m.error_code for m in twilio.accepted(ada)] == [63040, 63028])


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"body": "a" * 1601}, 21617),
        ({"body": ""}, 21619),
        ({"to": "whatsapp:+49"}, 21211),
        ({"to": "+4915112345678"}, 21211),
        ({"from_": "whatsapp:+15550000000"}, 63007),
        ({"from_": "+14155238886"}, 21212),
        ({"media_url": ["/export.json"]}, 21620),
        ({"status_callback": "gaia"}, 21609),
        ({"content_sid": "HX" + "0" * 32}, 21655),
    ],
)
async def test_what_twilio_takes_no_message_from_is_refused(
    client: Client, ada: Person, changed: dict[str, object], code: int
) -> None:
    sound: dict[str, object] = {
        "to": f"whatsapp:{ada.address}",
        "from_": f"whatsapp:{NUMBER}",
        "body": "hello",
    }

    assert await refusal_of(client, **{**sound, **changed}) == code


async def test_sixteen_hundred_characters_are_not_too_many(client: Client, ada: Person) -> None:
    assert (await send(client, ada, "ä" * 1600)).sid


async def test_who_stopped_is_written_to_again_when_they_start(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    ada.stops()
    with pytest.raises(RefusedError) as caught:
        await send(client, ada, "hello")
    ada.starts()
    await send(client, ada, "welcome")

    assert caught.value.code == 21610
    await twilio.until(lambda: twilio.texts(ada) == ["welcome"])


async def test_what_is_sent_to_who_blocks_never_arrives(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    ada.blocks()
    await send(client, ada, "hello")

    await twilio.until(lambda: [m.status for m in twilio.accepted(ada)] == ["sent"])
    assert twilio.texts(ada) == []


async def test_a_sandbox_writes_to_who_joined(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    twilio.world.is_sandbox = True
    await send(client, ada, "too early")
    await twilio.until(lambda: [m.error_code for m in twilio.accepted(ada)] == [63015])

    ada.joins()
    await send(client, ada, "hello")
    await twilio.until(lambda: twilio.texts(ada) == ["hello"])


async def test_typing_is_shown_to_who_wrote_the_message(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    written = ada.writes("think")
    typing = client.messaging.v2.typing_indicator

    await typing.create_async(channel="whatsapp", message_id=written.sid)

    assert twilio.typing(ada) == 1
    with pytest.raises(RefusedError):
        await typing.create_async(channel="whatsapp", message_id="SM" + "0" * 32)


async def test_the_account_is_shown_to_who_has_its_token(
    client: Client, twilio: TwilioServer
) -> None:
    account = await client.api.v2010.accounts(twilio.account_sid).fetch_async()
    assert (account.sid, account.status) == (twilio.account_sid, "active")

    client.auth = (twilio.account_sid, "wrong")
    with pytest.raises((RefusedError, StatusError)):
        await client.api.v2010.accounts(twilio.account_sid).fetch_async()
    assert twilio.refusals == ("FetchAccount: 20003 Authenticate",)
    assert twilio.violations == ()
