"""What a test plans goes wrong just so, as the real client sees it."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from twilio.rest import Client

from channels.whatsapp.errors import FloodError, OddAnswerError, RefusedError, StatusError
from tests.servers.twilio import (
    CREATE_MESSAGE,
    NUMBER,
    BadGateway,
    CutAfterRead,
    Fault,
    Hang,
    MalformedJson,
    Person,
    Refused,
    ServerError,
    Slow,
    TooManyRequests,
    TwilioServer,
)

SHORT = 0.05
"""Seconds that a client waits which is to wait in vain."""


@pytest.fixture
def ada(twilio: TwilioServer) -> Person:
    person = twilio.person("+4915112345678", "Ada")
    person.writes("hi")
    return person


def plan(twilio: TwilioServer, fault: Fault) -> None:
    """Let the first message go wrong."""
    twilio.faults = lambda request: (
        fault if request.operation == CREATE_MESSAGE and request.count == 1 else None
    )


async def send(client: Client) -> None:
    await client.messages.create_async(
        to="whatsapp:+4915112345678", from_=f"whatsapp:{NUMBER}", body="hello"
    )


async def test_too_many_requests_tell_when_to_try_again(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    plan(twilio, TooManyRequests(7))
    with pytest.raises(FloodError) as caught:
        await send(client)

    assert caught.value.seconds == 7
    assert twilio.accepted() == []
    await send(client)
    assert len(twilio.accepted()) == 1


async def test_a_refusal_has_its_code(client: Client, twilio: TwilioServer, ada: Person) -> None:
    plan(twilio, Refused(400, 63018))
    with pytest.raises(RefusedError) as caught:
        await send(client)

    assert caught.value.code == 63018


@pytest.mark.parametrize(
    ("fault", "seen", "taken"),
    [
        (BadGateway(), StatusError, 0),
        (ServerError(), StatusError, 0),
        (ServerError(processed=True), StatusError, 1),
        (MalformedJson(), (StatusError, OddAnswerError), 0),
        (MalformedJson(processed=True), (StatusError, OddAnswerError), 1),
        (CutAfterRead(), httpx.ReadError, 0),
        (CutAfterRead(processed=True), httpx.ReadError, 1),
    ],
    ids=str,
)
async def test_what_goes_wrong_is_seen(
    client: Client,
    twilio: TwilioServer,
    ada: Person,
    fault: Fault,
    seen: type[Exception],
    taken: int,
) -> None:
    plan(twilio, fault)
    with pytest.raises(seen):
        await send(client)

    assert len(twilio.accepted(ada)) == taken
    assert not any(message.acknowledged for message in twilio.accepted(ada))


@pytest.mark.parametrize("processed", [False, True])
async def test_a_hanging_request_is_not_answered(
    client: Client, twilio: TwilioServer, ada: Person, processed: bool
) -> None:
    plan(twilio, Hang(processed))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(send(client), SHORT)

    assert len(twilio.accepted(ada)) == processed


async def test_a_slow_request_goes_well_in_the_end(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    slow = Slow(asyncio.Event())
    plan(twilio, slow)
    sending = asyncio.create_task(send(client))
    await twilio.until(lambda: len(twilio.requests(CREATE_MESSAGE)) == 1)
    assert twilio.accepted() == []
    slow.until.set()
    await sending

    assert len(twilio.accepted(ada)) == 1


async def test_requests_are_told_with_whom_they_are_about(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    await send(client)

    (request,) = twilio.requests(CREATE_MESSAGE)
    assert (request.person, request.parameters["Body"]) == (ada.address, "hello")
