from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import httpx
import pytest
from starlette.applications import Starlette

from channels.telegram.updates import secret_of
from gaia.messages import HookRequest
from gaia.testing.clock import until
from gaia.web.app import hook_routes
from tests.servers.serve import serving
from tests.servers.telegram import TelegramServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Rig

ADA = 100


@pytest.fixture
async def hooked_rig(
    telegram: TelegramServer, rig_with_webhook: Callable[[str], Rig]
) -> AsyncIterator[Rig]:
    """A rig that Telegram calls over gaia's own web route."""
    app = Starlette()
    async with serving(app) as url:
        rig = rig_with_webhook(url)
        app.router.routes.extend(hook_routes({"telegram": rig.channel}.get))
        async with rig.serving():
            await until(lambda: rig.channel.health().ok)
            yield rig


def update(text: str) -> bytes:
    message = {
        "message_id": 1,
        "date": 1767268800,
        "chat": {"id": ADA, "type": "private", "first_name": "Ada"},
        "from": {"id": ADA, "is_bot": False, "first_name": "Ada"},
        "text": text,
    }
    return json.dumps({"update_id": 1, "message": message}).encode()


def request(
    rig: Rig, body: bytes, *, method: str = "POST", secret: str | None = None
) -> HookRequest:
    shown = secret_of(rig.telegram.token) if secret is None else secret
    return HookRequest(method, "", "", body, {"x-telegram-bot-api-secret-token": shown})


async def test_what_people_write_is_received(hooked_rig: Rig) -> None:
    rig = hooked_rig
    rig.telegram.person(ADA).writes("hello")
    await rig.until_received(1)
    await rig.telegram.until(lambda: not rig.telegram.world.updates.waiting)
    (asked,) = rig.telegram.requests("setWebhook")
    assert asked.parameters["allowed_updates"] == [
        "message",
        "edited_message",
        "callback_query",
        "my_chat_member",
    ]
    assert str(asked.parameters["url"]).endswith("/hooks/telegram")
    assert rig.telegram.requests("getUpdates") == []
    await rig.send(ADA)
    assert rig.telegram.texts() == ["Hi."]


async def test_an_update_that_cannot_be_stored_comes_again(hooked_rig: Rig) -> None:
    rig = hooked_rig
    rig.core.store_is_broken = True
    rig.telegram.person(ADA).writes("hello")
    await rig.until_ill("cannot be stored")
    assert (await rig.channel.hook(request(rig, update("hello")))).status == 503
    assert len(rig.telegram.world.updates.waiting) == 1
    rig.core.store_is_broken = False
    answer = await rig.channel.hook(request(rig, update("hello")))
    assert answer.status == 200
    assert rig.channel.health().ok
    assert rig.texts == ["hello"]


@pytest.mark.parametrize("secret", ["", "wrong", "wröng\udcff"[:5]])
async def test_who_does_not_know_the_secret_is_refused(
    hooked_rig: Rig, secret: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await hooked_rig.channel.hook(request(hooked_rig, update("canary"), secret=secret))
    assert answer.status == 403
    assert hooked_rig.texts == []
    assert "canary" not in caplog.text


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b"\xff"])
async def test_what_is_no_update_is_refused(hooked_rig: Rig, body: bytes) -> None:
    assert (await hooked_rig.channel.hook(request(hooked_rig, body))).status == 400


async def test_an_update_that_nobody_can_read_is_taken_and_set_aside(
    hooked_rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    body = b'{"update_id": 5, "message": {"text": "canary"}}'
    assert (await hooked_rig.channel.hook(request(hooked_rig, body))).status == 200
    assert "update 5 is set aside" in caplog.text
    assert "canary" not in caplog.text


async def test_other_methods_are_not_found(hooked_rig: Rig) -> None:
    asked = request(hooked_rig, update("x"), method="GET")
    assert (await hooked_rig.channel.hook(asked)).status == 404


async def test_a_channel_that_polls_has_no_hook(rig: Rig) -> None:
    await rig.until_well()
    assert (await rig.channel.hook(request(rig, update("x")))).status == 404


async def test_a_webhook_that_somebody_else_took_is_taken_back(hooked_rig: Rig) -> None:
    rig = hooked_rig
    await rig.telegram.until(lambda: bool(rig.telegram.requests("getWebhookInfo")))
    rig.telegram.world.updates.webhook_url = ""
    await rig.sleep_off(60)
    await rig.until_ill("another process took the webhook")
    await rig.sleep_off(60)
    await until(lambda: rig.channel.health().ok)
    rig.telegram.person(ADA).writes("hello")
    await rig.until_received(1)


async def test_telegram_saying_that_it_cannot_call_is_told(
    rig_with_webhook: Callable[[str], Rig],
) -> None:
    rig = rig_with_webhook("http://127.0.0.1:9")
    async with rig.serving():
        await until(lambda: rig.channel.health().ok)
        rig.telegram.person(ADA).writes("hello")
        await until(lambda: rig.telegram.world.webhook.last_error is not None)
        await rig.sleep_off(60)
        await rig.until_ill("Telegram cannot deliver to http://127.0.0.1:9/hooks/telegram")


async def test_the_secret_stands_in_no_answer(hooked_rig: Rig) -> None:
    async with httpx.AsyncClient() as http:
        url = str(hooked_rig.telegram.requests("setWebhook")[0].parameters["url"])
        answer = await http.post(url, content=update("hello"))
    assert answer.status_code == 403
    assert answer.text == ""
