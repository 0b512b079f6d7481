"""Messages are listed, page after page, and their files are had."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from twilio.rest import Client

from gaia.testing.clock import START, FakeClock
from tests.servers.serve import serving
from tests.servers.twilio import NUMBER, Person, TwilioServer

MINE = f"whatsapp:{NUMBER}"


@pytest.fixture
def ada(twilio: TwilioServer) -> Person:
    return twilio.person("+4915112345678", "Ada")


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(verify=False) as http:
        yield http


async def test_pages_hold_each_message_once_the_newest_first(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    for number in range(7):
        ada.writes(f"{number}")

    listed = await client.messages.list_async(to=MINE, page_size=3)

    assert [each.body for each in listed] == ["6", "5", "4", "3", "2", "1", "0"]
    assert {each.direction for each in listed} == {"inbound"}
    assert [each.parameters.get("Page") for each in twilio.requests("ListMessage")] == [
        None,
        "1",
        "2",
    ]
    assert twilio.violations == ()


async def test_what_comes_between_two_pages_moves_no_message(
    client: Client, ada: Person, twilio: TwilioServer
) -> None:
    for number in range(4):
        ada.writes(f"{number}")
    first = await client.messages.page_async(page_size=2)
    ada.writes("new")
    second = await first.next_page_async()

    assert second is not None
    assert [m.body for m in first] + [m.body for m in second] == ["3", "2", "1", "0"]


async def test_messages_are_listed_since_a_time_and_by_who_wrote(
    client: Client, twilio: TwilioServer, ada: Person, clock: FakeClock
) -> None:
    ada.writes("old")
    clock.advance(600)
    ada.writes("new")
    twilio.person("+4915112345679", "Bob").writes("bob")
    since = START + timedelta(seconds=600)

    listed = await client.messages.list_async(to=MINE, date_sent_after=since)
    from_ada = await client.messages.list_async(from_=f"whatsapp:{ada.address}")

    assert [each.body for each in listed] == ["bob", "new"]
    assert [each.body for each in from_ada] == ["new", "old"]
    assert listed[0].date_sent == since


async def test_a_reaction_is_in_no_list(client: Client, ada: Person) -> None:
    ada.reacts("👍", ada.writes("hello"))

    assert [each.body for each in await client.messages.list_async()] == ["hello"]


async def test_a_file_is_had_where_twilio_sends_its_client(
    client: Client, twilio: TwilioServer, ada: Person, http: httpx.AsyncClient
) -> None:
    twilio.moves_files()
    sent = ada.sends_photo(b"meow", caption="my cat")
    (file,) = await client.messages(sent.sid).media.list_async()
    path = str(file.uri).removesuffix(".json")

    refused = await http.get(twilio.url + path)
    moved = await http.get(twilio.url + path, auth=(twilio.account_sid, twilio.auth_token))
    had = await http.get(moved.headers["location"])

    assert (refused.status_code, moved.status_code) == (401, 307)
    assert (had.content, had.headers["content-type"]) == (b"meow", "image/png")
    assert sent.parameters["MediaUrl0"] == f"https://api.twilio.com{path}"
    assert twilio.violations == ()

    await http.get(moved.headers["location"], auth=(twilio.account_sid, twilio.auth_token))
    assert twilio.violations == ("the credentials were sent to the host of the files",)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Response("{}", media_type="application/json"), None),
        (Response(status_code=404), 63019),
        (Response("<html>", media_type="text/html"), 12300),
        (Response("?"), 12300),
    ],
)
async def test_a_file_of_gaias_is_fetched_and_sent(
    client: Client, twilio: TwilioServer, ada: Person, answer: Response, code: int | None
) -> None:
    ada.writes("export")

    async def give(request: Request) -> Response:
        return answer

    async with serving(Starlette(routes=[Route("/a/export.json", give)])) as url:
        twilio.reaches("https://gaia.example", at=url)
        await client.messages.create_async(
            to=f"whatsapp:{ada.address}",
            from_=MINE,
            body="here",
            media_url=["https://gaia.example/a/export.json"],
        )
        await twilio.until(lambda: twilio.accepted(ada)[0].status in ("delivered", "undelivered"))

    message = twilio.accepted(ada)[0]
    assert message.error_code == code
    had = [(file.content, file.file_name) for file in message.media]
    assert had == ([(b"{}", "export.json")] if code is None else [])


async def test_a_file_that_nobody_serves_cannot_be_sent(
    client: Client, twilio: TwilioServer, ada: Person
) -> None:
    ada.writes("export")
    await client.messages.create_async(
        to=f"whatsapp:{ada.address}", from_=MINE, media_url=["http://127.0.0.1:1/a"]
    )

    await twilio.until(lambda: twilio.accepted(ada)[0].error_code == 63019)
