"""Requests that break the documentation are refused and remembered."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import httpx
import pytest
from pydantic import JsonValue

from tests.servers.telegram import NotTelegramError, TelegramServer


@pytest.fixture
async def http(telegram: TelegramServer) -> AsyncIterator[httpx.AsyncClient]:
    telegram.person(100)
    base = f"{telegram.base_url}{telegram.token}/"
    async with httpx.AsyncClient(base_url=base, verify=False) as client:
        yield client


@pytest.mark.parametrize(
    ("method", "body", "violation"),
    [
        ("sendMessage", {"chat_id": 100}, "text is required"),
        ("sendMessage", {"text": "x"}, "chat_id is required"),
        ("sendMessage", {"chat_id": 100, "text": "x", "colour": "red"}, "colour is unknown"),
        ("sendMessage", {"chat_id": 100, "text": "x", "reply_markup": {"a": 1}}, "reply_markup"),
        ("sendMessage", {"chat_id": 100, "text": ""}, "message text is empty"),
        ("sendMessage", {"chat_id": 100, "text": " \n"}, "message text is empty"),
        ("sendMessage", {"chat_id": 100, "text": "😀" * 2049}, "message is too long"),
        ("getUpdates", {"timeout": "soon"}, "timeout must be Integer"),
        ("getUpdates", {"allowed_updates": "message"}, "allowed_updates must be Array of String"),
        ("getUpdates", {"allowed_updates": ["message", 1]}, "allowed_updates[1] must be String"),
        ("sendChatAction", {"chat_id": 100, "action": "dancing"}, "wrong parameter action"),
        ("setMyCommands", {"commands": [{"command": "Help", "description": "x"}]}, "COMMAND_INV"),
        ("setMyCommands", {"commands": [{"command": "help", "description": ""}]}, "DESCRIPTION"),
        ("setMyCommands", {"commands": [{"command": "help"}]}, "commands[0].description"),
        ("setMyCommands", {"commands": [], "scope": {"type": "chat"}}, "scope.chat_id is required"),
        ("sendDice", {"chat_id": 100}, "sendDice is not served"),
        ("danceNow", {}, "Not Found"),
    ],
)
@pytest.mark.parametrize("form", [False, True])
async def test_a_request_against_the_documentation_is_a_violation(
    http: httpx.AsyncClient,
    telegram: TelegramServer,
    method: str,
    body: dict[str, JsonValue],
    violation: str,
    form: bool,
) -> None:
    if form:
        fields = {k: v if isinstance(v, str) else json.dumps(v) for k, v in body.items()}
        answer = await http.post(method, data=fields)
    else:
        answer = await http.post(method, json=body)
    assert_is_violation(telegram, answer, method, violation)


@pytest.mark.parametrize(
    ("body", "violation"),
    [
        ({"chat_id": [], "text": "x"}, "chat_id must be"),
        ({"chat_id": 100, "text": 1}, "text must be String, not 1"),
        ({"chat_id": 100, "text": None}, "text must be String, not None"),
    ],
)
async def test_in_json_a_string_is_a_string(
    http: httpx.AsyncClient,
    telegram: TelegramServer,
    body: dict[str, JsonValue],
    violation: str,
) -> None:
    answer = await http.post("sendMessage", json=body)
    assert_is_violation(telegram, answer, "sendMessage", violation)


def assert_is_violation(
    telegram: TelegramServer, answer: httpx.Response, method: str, violation: str
) -> None:
    assert answer.status_code >= 400
    assert answer.json()["ok"] is False
    (told,) = telegram.violations
    assert told.startswith(f"{method}: ")
    assert violation in told
    assert telegram.messages() == []


@pytest.mark.parametrize("method", ["getMe", "getme", "GETME"])
async def test_the_case_of_a_method_does_not_matter(
    http: httpx.AsyncClient, telegram: TelegramServer, method: str
) -> None:
    assert (await http.get(method)).json()["ok"] is True
    assert [each.method for each in telegram.requests()] == ["getMe"]


async def test_parameters_come_in_any_of_four_ways(
    http: httpx.AsyncClient, telegram: TelegramServer
) -> None:
    options = {"is_disabled": True}
    in_form = {"chat_id": "100", "text": "form", "link_preview_options": json.dumps(options)}
    await http.post("sendMessage", data=in_form)
    await http.post("sendMessage", files={k: (None, v) for k, v in in_form.items()})
    await http.get("sendMessage", params=in_form)
    await http.post(
        "sendMessage", json={"chat_id": 100, "text": "x", "link_preview_options": options}
    )
    assert telegram.violations == ()
    messages = telegram.messages(100)
    assert [each.message["link_preview_options"] for each in messages] == [options] * 4


async def test_a_body_that_is_no_json_is_a_violation(
    http: httpx.AsyncClient, telegram: TelegramServer
) -> None:
    answer = await http.post(
        "sendMessage", content=b"{", headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert telegram.violations == ("sendMessage: Bad Request: can't parse JSON object",)


async def test_what_the_state_of_a_chat_forbids_is_no_violation(
    http: httpx.AsyncClient, telegram: TelegramServer
) -> None:
    answer = await http.post("sendMessage", json={"chat_id": 7, "text": "x"})
    assert answer.json()["description"] == "Bad Request: chat not found"
    assert telegram.violations == ()
    assert telegram.refusals == ("sendMessage: Bad Request: chat not found",)


async def test_a_person_cannot_send_what_telegram_never_would(telegram: TelegramServer) -> None:
    with pytest.raises(NotTelegramError, match=r"location\.latitude must be Float"):
        telegram.person(100).sends({"location": {"latitude": "north", "longitude": 1.0}})
