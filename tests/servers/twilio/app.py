"""The HTTP side: routes, credentials, faults, and the check of every request and answer."""

from __future__ import annotations

import base64
import json
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.harness.cuts import ClientGoneError, cut, is_open, unless_gone, until_gone
from tests.servers.http_faults import BAD_GATEWAY_PAGE
from tests.servers.twilio import faults as kinds
from tests.servers.twilio.description import Given, load_description
from tests.servers.twilio.faults import Fault, Faults, RequestSeen, no_faults
from tests.servers.twilio.messages import API, StoredMedia
from tests.servers.twilio.operations import SERVED, Call, found, person_of
from tests.servers.twilio.outbound import Sending
from tests.servers.twilio.refusals import (
    ApiRefusal,
    Json,
    bad_request,
    not_found,
    too_many_requests,
    unauthenticated,
)
from tests.servers.twilio.world import World

_MESSAGES = f"{API}/Accounts/{{account}}/Messages"
ROUTES = (
    (f"{API}/Accounts/{{account}}.json", "GET", kinds.FETCH_ACCOUNT),
    (f"{_MESSAGES}.json", "POST", kinds.CREATE_MESSAGE),
    (f"{_MESSAGES}.json", "GET", kinds.LIST_MESSAGES),
    (f"{_MESSAGES}/{{message}}/Media.json", "GET", kinds.LIST_MEDIA),
    (f"{_MESSAGES}/{{message}}/Media/{{media}}", "GET", kinds.DOWNLOAD_MEDIA),
    (f"{_MESSAGES}/{{message}}.json", "GET", kinds.FETCH_MESSAGE),
    ("/v2/Indicators/Typing.json", "POST", kinds.CREATE_TYPING),
)


class JsonAnswer(Response):
    """JSON in ASCII."""

    media_type = "application/json"

    def render(self, content: Json) -> bytes:
        return json.dumps(content).encode()


class TwilioApp:
    """Answers the client's requests about a world.

    `violations` are requests that the description rules out; `refusals` all that was
    refused for another cause than a fault; `failure` is what the server itself did
    wrong first.
    """

    def __init__(self, world: World, sending: Sending) -> None:
        self.faults: Faults = no_faults
        self.requests: list[RequestSeen] = []
        self.violations: list[str] = []
        self.refusals: list[str] = []
        self.failure: BaseException | None = None
        self.url = self.files_url = ""
        """Where this is served, and where the contents of media are."""
        self._world = world
        self._sending = sending
        self._counts: Counter[str] = Counter()
        self._files: dict[str, StoredMedia] = {}
        self.starlette = Starlette(
            routes=[
                *(
                    Route(path, self._endpoint(operation), methods=[method])
                    for path, method, operation in ROUTES
                ),
                Route("/files/{key}", self._file),
                Route("/{path:path}", self._unknown, methods=["GET", "POST", "PUT", "DELETE"]),
            ]
        )

    def fail(self, cause: BaseException | None) -> None:
        """Take that for a failure of the server."""
        self.failure = self.failure or cause
        self._world.changes.tell()

    def _endpoint(self, operation: str) -> Callable[[Request], Awaitable[Response]]:
        async def meet(request: Request) -> Response:
            try:
                return await self._meet(request, operation)
            except (ClientGoneError, ClientDisconnect):
                return Response(status_code=499)
            except ApiRefusal as refusal:
                return _refusal(refusal)
            except Exception as exc:
                self.fail(exc)
                raise

        return meet

    async def _unknown(self, request: Request) -> Response:
        refusal = not_found(request.url.path)
        refusal.violation = True
        return _refusal(self._refused(f"{request.method} {request.url.path}", refusal))

    async def _meet(self, request: Request, operation: str) -> Response:
        given = await _given(request)
        call = _call(operation, request, given)
        if not self._is_known(request):
            self._check(operation, given)
            raise self._refused(operation, unauthenticated())
        fault = self._see(call)
        self._check(operation, given)
        if fault is not None and not await _is_processed(fault, request):
            return await _go_wrong(fault, request)
        try:
            answer = await self._answer(call, given)
        except ApiRefusal as refusal:
            raise self._refused(operation, refusal) from refusal
        if fault is not None and not isinstance(fault, kinds.Slow):
            return await _go_wrong(fault, request)
        answer.background = BackgroundTask(self._acknowledge, request, answer)
        return answer

    def _is_known(self, request: Request) -> bool:
        kind, _, told = request.headers.get("authorization", "").partition(" ")
        credentials = f"{self._world.account_sid}:{self._world.auth_token}"
        return kind == "Basic" and told == base64.b64encode(credentials.encode()).decode()

    def _check(self, operation: str, given: Given) -> None:
        if operation == kinds.DOWNLOAD_MEDIA:
            return
        mistakes = load_description().mistakes(operation, given)
        if mistakes:
            refusal = bad_request(20001, "; ".join(mistakes), violation=True)
            raise self._refused(operation, refusal)

    def _see(self, call: Call) -> Fault | None:
        self._counts[call.operation] += 1
        seen = RequestSeen(
            operation=call.operation,
            parameters=call.parameters,
            person=person_of(self._world, call),
            number=self._counts.total(),
            count=self._counts[call.operation],
        )
        self.requests.append(seen)
        self._world.changes.tell()
        return self.faults(seen)

    async def _answer(self, call: Call, given: Given) -> Response:
        if call.names.get("account", self._world.account_sid) != self._world.account_sid:
            raise not_found(call.path)
        if call.operation == kinds.DOWNLOAD_MEDIA:
            return self._redirect(call)
        if call.operation == kinds.CREATE_MESSAGE:
            message = await self._sending.take(call.parameters, call.media_urls)
            # Twilio answers before anything becomes of it.
            taken = replace(message, status="queued", error_code=None)
            status, body = 201, taken.json(self._world.account_sid, self._world.number)
        else:
            status, body = 200, SERVED[call.operation](self._world, call)
        load_description().require(given, status, body)
        return JsonAnswer(body, status)

    def _redirect(self, call: Call) -> Response:
        media = found(self._world, call).media
        wanted = next((each for each in media if each.sid == call.names["media"]), None)
        if wanted is None:
            raise not_found(call.path)
        key = secrets.token_urlsafe()
        self._files[key] = wanted
        return RedirectResponse(f"{self.files_url}/files/{key}", 307)

    async def _file(self, request: Request) -> Response:
        """A file, where its address is all that one needs to know."""
        is_elsewhere = not self.url.endswith(f"//{request.url.netloc}")
        if is_elsewhere and "authorization" in request.headers:
            self.violations.append("the credentials were sent to the host of the files")
        stored = self._files.get(request.path_params["key"])
        if stored is None:
            return Response(status_code=403)
        return Response(stored.content, media_type=stored.media_type)

    def _refused(self, operation: str, refusal: ApiRefusal) -> ApiRefusal:
        told = f"{operation}: {refusal.code} {refusal.message}"
        self.refusals.append(told)
        if refusal.violation:
            self.violations.append(told)
        return refusal

    async def _acknowledge(self, request: Request, answer: Response) -> None:
        if answer.status_code == 201 and is_open(request):
            self._world.acknowledge(str(json.loads(bytes(answer.body))["sid"]))


async def _given(request: Request) -> Given:
    return Given(
        method=request.method,
        path=request.url.path,
        query=[*request.query_params.multi_items()],
        headers=dict(request.headers),
        body=await request.body(),
    )


def _call(operation: str, request: Request, given: Given) -> Call:
    form = parse_qsl(given.body.decode(errors="replace"), keep_blank_values=True)
    sent = [*given.query, *form]
    return Call(
        operation=operation,
        path=given.path,
        names={name: str(value) for name, value in request.path_params.items()},
        parameters=dict(sent),
        media_urls=tuple(value for name, value in sent if name == "MediaUrl"),
    )


async def _is_processed(fault: Fault, request: Request) -> bool:
    match fault:
        case kinds.Slow(until=event):
            await unless_gone(request, event.wait())
            return True
        case (
            kinds.ServerError(processed=processed)
            | kinds.MalformedJson(processed=processed)
            | kinds.Hang(processed=processed)
            | kinds.CutAfterRead(processed=processed)
        ):
            return processed
    return False


async def _go_wrong(fault: Fault, request: Request) -> Response:
    match fault:
        case kinds.TooManyRequests(retry_after=seconds):
            return _refusal(too_many_requests(seconds))
        case kinds.Refused(status=status, code=code, message=message):
            return _refusal(ApiRefusal(status, code, message))
        case kinds.ServerError():
            return _refusal(ApiRefusal(500, 20500, "Internal Server Error"))
        case kinds.BadGateway():
            return HTMLResponse(BAD_GATEWAY_PAGE, 502)
        case kinds.MalformedJson():
            return Response('{"sid": "SM', 201, media_type="application/json")
        case kinds.CutAfterRead():
            await cut(request)
        case _:
            await until_gone(request)
    raise ClientGoneError


def _refusal(refusal: ApiRefusal) -> Response:
    seconds = refusal.retry_after
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    answer = JsonAnswer(refusal.json(), refusal.status)
    answer.headers.update(headers)
    return answer
