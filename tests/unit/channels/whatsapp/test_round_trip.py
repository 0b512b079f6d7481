"""A signed request to gaia's own public address, against whatever may answer there."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as WebRoute

from channels.whatsapp.requests import Signatures
from channels.whatsapp.round_trip import Route, answer, round_trip
from gaia.errors import UnsignedError
from gaia.findings import Finding, Outcome
from gaia.messages import HookAnswer, HookRequest
from gaia.web.app import hook_routes
from tests.servers.serve import serving

ModelStack = Callable[[Request], Awaitable[Response]]

TOKEN = "0123456789abcdef" * 2
OTHER_TOKEN = "fedcba9876543210" * 2
PUBLIC_URL = "https://gaia.example"


class Gaia:
    """Answers a check as the channel's webhook does."""

    def __init__(self, token: str = TOKEN, public_url: str = "", *, is_strict: bool = True) -> None:
        self.token = token
        self.public_url = public_url
        self.is_strict = is_strict

    async def hook(self, request: HookRequest) -> HookAnswer:
        try:
            Signatures(self.token, self.public_url).verified(request)
        except UnsignedError:
            if self.is_strict:
                return HookAnswer(403)
        return answer(self.token, request.body)


async def found(app: Starlette, gaia: Gaia | None = None) -> list[Finding]:
    """What a round trip tells, with `app` at the public address."""
    async with serving(app, keeps_open=False) as url:
        if gaia is not None:
            gaia.public_url = gaia.public_url or url
        return list(await round_trip(Route(url, "127.0.0.1:8642"), TOKEN))


def passing_on_to(gaia: Gaia) -> Starlette:
    return Starlette(routes=hook_routes({"whatsapp": gaia}.get))


def page(answering: ModelStack) -> Starlette:
    return Starlette(routes=[WebRoute("/{path:path}", answering, methods=["POST"])])


def answering(status: int, body: str = "", **headers: str) -> Starlette:
    async def answer_so(request: Request) -> Response:
        return Response(body, status, headers, media_type="text/html")

    return page(answer_so)


async def test_this_gaia_is_recognised() -> None:
    gaia = Gaia()
    (finding,) = await found(passing_on_to(gaia), gaia)
    assert finding.outcome is Outcome.OK
    assert finding.detail.endswith(
        "/hooks/whatsapp leads to this gaia, and refuses what is not signed"
    )


@pytest.mark.parametrize(
    "gaia", [Gaia(OTHER_TOKEN), Gaia(public_url=PUBLIC_URL)], ids=["token", "address"]
)
async def test_a_gaia_of_another_token_or_address_is_none_of_ours(gaia: Gaia) -> None:
    (finding,) = await found(passing_on_to(gaia), gaia)
    assert finding.outcome is Outcome.FAILED
    assert "refuses the signature (403)" in finding.detail
    assert "Restart gaia" in finding.remedy


async def test_a_gaia_with_another_token_that_takes_everything_proves_nothing() -> None:
    gaia = Gaia(OTHER_TOKEN, is_strict=False)
    (finding,) = await found(passing_on_to(gaia), gaia)
    assert "answered by something else than gaia (200, application/json)" in finding.detail


@pytest.mark.parametrize(
    ("status", "said", "remedy"),
    [
        (404, "answered with 404", "pass /hooks/ on to 127.0.0.1:8642"),
        (405, "answered with 405", "pass /hooks/ on"),
        (401, "asks for a password (401)", "ask for none below /hooks/"),
        (413, "refuses the request (413)", "the proxy's log"),
        (500, "answered with 500", "log"),
        (502, "gaia is not, or not yet ready (502)", "Start gaia"),
        (503, "gaia is not, or not yet ready (503)", "Start gaia"),
        (504, "gaia is not, or not yet ready (504)", "Start gaia"),
        (530, "answered with 530", "tunnel"),
        (200, "something else than gaia (200, text/html)", "pass /hooks/ on"),
        (204, "something else than gaia (204", "pass /hooks/ on"),
    ],
)
async def test_each_answer_of_somebody_else_has_a_remedy(
    status: int, said: str, remedy: str
) -> None:
    (finding,) = await found(answering(status))
    assert finding.outcome is Outcome.FAILED
    assert said in finding.detail
    assert remedy in finding.remedy


@pytest.mark.parametrize(
    "body",
    ["", "<p>hi", "[]", '{"gaia": 1}', '{"gaia": "x"}', '{"gaia": "\\ud800"}', "[" * 60_000],
)
async def test_no_other_page_passes_for_gaia(body: str) -> None:
    (finding,) = await found(answering(200, body))
    assert "something else than gaia" in finding.detail


async def test_a_redirect_is_told_with_its_target_and_not_followed() -> None:
    (finding,) = await found(answering(301, location="https://www.gaia.example/x"))
    assert "leads on to https://www.gaia.example/x (301)" in finding.detail
    assert "channels.whatsapp.public_url" in finding.remedy


@pytest.mark.parametrize("status", [200, 404])
async def test_a_proxy_that_answers_unsigned_requests_itself_is_a_warning(status: int) -> None:
    gaia = Gaia()

    async def choose(request: Request) -> Response:
        if "x-twilio-signature" in request.headers:
            body, headers = await request.body(), dict(request.headers)
            shown = await gaia.hook(HookRequest("POST", "check", "", body, headers))
            return Response(shown.body, shown.status, media_type=shown.media_type)
        return Response("ok", status)

    first, second = await found(page(choose), gaia)
    assert (first.outcome, second.outcome) == (Outcome.OK, Outcome.WARNING)
    assert f"without signature is answered with {status}" in second.detail


async def test_a_gaia_that_takes_unsigned_requests_fails() -> None:
    gaia = Gaia(is_strict=False)
    first, second = await found(passing_on_to(gaia), gaia)
    assert (first.outcome, second.outcome) == (Outcome.OK, Outcome.FAILED)
    assert "without signature is taken" in second.detail


async def test_nothing_that_is_sent_or_told_has_the_token() -> None:
    seen = []

    async def echo(request: Request) -> Response:
        seen.append(await request.body())
        seen.append(repr(dict(request.headers)).encode())
        return Response(await request.body(), 400)

    (finding,) = await found(page(echo))
    assert seen
    assert not any(TOKEN.encode() in each for each in seen)
    assert TOKEN not in finding.detail + finding.remedy


@pytest.mark.parametrize("body", [b"", b"Nonce=", b"Nonce=" + b"0" * 65, b"\xff", b"Other=1"])
def test_an_answer_without_a_nonce_proves_nothing(body: bytes) -> None:
    assert answer(TOKEN, body).status == 400


def test_the_proof_depends_on_nonce_and_token() -> None:
    proofs = {
        json.loads(answer(token, nonce).body)["gaia"]
        for token in (TOKEN, OTHER_TOKEN)
        for nonce in (b"Nonce=1", b"Nonce=2")
    }
    assert len(proofs) == 4
