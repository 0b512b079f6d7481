"""What becomes of a message is told as a test plans it."""

from __future__ import annotations

from functools import partial

import pytest
from twilio.rest import Client
from twilio.rest.api.v2010.account.message import MessageInstance

from gaia.testing.clock import FakeClock
from tests.servers.twilio import (
    Callbacks,
    Person,
    Step,
    TwilioServer,
    at_once,
    backwards,
    early,
    failing,
    late,
    never,
    read,
    repeated,
)
from tests.servers.twilio.callee import Callee

STATUS_URL = "https://gaia.example/status"


@pytest.fixture
def ada(twilio: TwilioServer) -> Person:
    person = twilio.person("+4915112345678", "Ada")
    person.contact.written_at = twilio.world.now()
    return person


async def send(client: Client, text: str = "hello") -> MessageInstance:
    return await client.messages.create_async(
        to="whatsapp:+4915112345678",
        from_="whatsapp:+14155238886",
        body=text,
        status_callback=STATUS_URL,
    )


@pytest.mark.parametrize(
    ("plan", "statuses"),
    [
        (at_once, ["queued", "sent", "delivered"]),
        (early, ["queued", "sent", "delivered"]),
        (backwards, ["delivered", "sent", "queued"]),
        (read, ["queued", "sent", "delivered", "read"]),
        (
            repeated,
            [
                *[
                    "queued",
                    "queued",
                    "sent",
                    "sent",
                    "delivered",
                    "delivered",
                    "queued",
                    "sent",
                    "delivered",
                ]
            ],
        ),
        (failing(63018), ["queued", "undelivered"]),
        (failing(None, "failed"), ["queued", "failed"]),
    ],
)
async def test_the_plan_is_what_is_told(
    client: Client,
    twilio: TwilioServer,
    ada: Person,
    callee: Callee,
    plan: Callbacks,
    statuses: list[str],
) -> None:
    twilio.callbacks = plan
    await send(client)
    await twilio.until(lambda: len(twilio.calls_made) == len(statuses))

    assert callee.statuses == statuses
    arrives = "delivered" in statuses
    assert twilio.texts(ada) == (["hello"] if arrives else [])


async def test_a_callback_names_the_message_and_is_signed(
    client: Client, twilio: TwilioServer, ada: Person, callee: Callee
) -> None:
    twilio.callbacks = failing(63018)
    sent = await send(client)
    await twilio.until(lambda: len(twilio.calls_made) == 2)

    form, headers = callee.told[1].form, callee.told[1].headers
    assert (form["MessageSid"], form["MessageStatus"], form["ErrorCode"]) == (
        sent.sid,
        "undelivered",
        "63018",
    )
    expected = twilio.signature(STATUS_URL, [*form.items()])
    assert headers["x-twilio-signature"] == expected


async def test_early_callbacks_come_before_the_answer(
    client: Client, twilio: TwilioServer, ada: Person, callee: Callee
) -> None:
    twilio.callbacks = early
    sent = await send(client)

    assert callee.statuses == ["queued", "sent", "delivered"]
    assert sent.status == "queued"


async def test_of_a_message_that_nobody_tells_of_the_person_has_it_all_the_same(
    client: Client, twilio: TwilioServer, ada: Person, callee: Callee
) -> None:
    twilio.callbacks = never
    await send(client)

    assert (twilio.texts(ada), callee.statuses) == (["hello"], [])


async def test_late_callbacks_come_as_time_passes(
    client: Client, twilio: TwilioServer, ada: Person, callee: Callee, clock: FakeClock
) -> None:
    twilio.callbacks = late(10)
    await send(client)
    for told in range(3):
        await clock.until_sleeping()
        assert len(callee.statuses) == told
        clock.advance(10)
        await twilio.until(partial(_has_told, twilio, told + 1))

    assert twilio.texts(ada) == ["hello"]


async def test_who_is_told_late_gets_it_late(
    client: Client, twilio: TwilioServer, ada: Person, callee: Callee, clock: FakeClock
) -> None:
    twilio.callbacks = lambda message, course: (
        (Step("delivered", after=10),) if message.body == "one" else course
    )
    await send(client, "one")
    await send(client, "two")
    await twilio.until(lambda: twilio.texts(ada) == ["two"])
    clock.advance(10)

    await twilio.until(lambda: twilio.texts(ada) == ["two", "one"])


async def test_a_message_that_arrived_does_not_fail_any_more(
    client: Client, twilio: TwilioServer, ada: Person, callee: Callee
) -> None:
    twilio.callbacks = lambda message, course: (Step("delivered"), Step("failed", 63018))
    await send(client)
    await twilio.until(lambda: len(twilio.calls_made) == 2)

    assert twilio.texts(ada) == ["hello"]


async def test_what_breaks_in_the_server_fails_the_test(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    def broken(message: object, course: object) -> tuple[Step, ...]:
        raise ZeroDivisionError

    twilio.callbacks = broken
    with pytest.raises(Exception, match="500"):
        await send(client)
    with pytest.raises(ZeroDivisionError):
        await twilio.until(lambda: False)
    twilio._app.failure = None  # It would fail this test as well.


def _has_told(twilio: TwilioServer, count: int) -> bool:
    return len(twilio.calls_made) == count
