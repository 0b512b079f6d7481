"""The HTTP side: routes, the token, faults, and the check of every request and answer."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.harness.cuts import ClientGoneError, cut, is_open, unless_gone, until_gone
from tests.servers.http_faults import BAD_GATEWAY_PAGE
from tests.servers.telegram import faults as fault_kinds
from tests.servers.telegram.calls import Call, read_call
from tests.servers.telegram.faults import Fault, Faults, RequestSeen, no_faults
from tests.servers.telegram.methods import GET_UPDATES, SERVED
from tests.servers.telegram.refusals import (
    ApiRefusal,
    bad_request,
    conflict,
    forbidden,
    too_many_requests,
)
from tests.servers.telegram.table import Method
from tests.servers.telegram.world import World

MAX_UPDATES = 100
MAX_POLL_SECONDS = 50


class JsonAnswer(Response):
    """JSON in ASCII, as Telegram writes it: half a surrogate pair gets through."""

    media_type = "application/json"

    def render(self, content: JsonValue) -> bytes:
        return json.dumps(content).encode()


class BotApiApp:
    """Answers the bot's requests about a world.

    `violations` are requests that the documentation rules out; `refusals` all that
    was refused for another cause than a fault; `failure` is what the server itself
    did wrong first.
    """

    def __init__(self, world: World, token: str) -> None:
        self.faults: Faults = no_faults
        self.requests: list[RequestSeen] = []
        self.violations: list[str] = []
        self.refusals: list[str] = []
        self.failure: BaseException | None = None
        self._world = world
        self._token = token
        self._counts: Counter[str] = Counter()
        self.starlette = Starlette(
            routes=[
                Route("/bot{token}/{method}", self._endpoint, methods=["GET", "POST"]),
                Route("/file/bot{token}/{path:path}", self._download),
            ]
        )

    def note_end(self, task: asyncio.Task[None]) -> None:
        """Take what a task of the server died of for a failure of the server."""
        if not task.cancelled():
            self._fail(task.exception())

    def _fail(self, cause: BaseException | None) -> None:
        self.failure = self.failure or cause
        self._world.changes.tell()

    async def _endpoint(self, request: Request) -> Response:
        try:
            return await self._meet(request)
        except (ClientGoneError, ClientDisconnect):
            return Response(status_code=499)
        except ApiRefusal as refusal:
            return JsonAnswer(refusal.json(), refusal.code)
        except Exception as exc:
            self._fail(exc)
            raise

    async def _meet(self, request: Request) -> Response:
        if request.path_params["token"] != self._token:
            raise ApiRefusal(401, "Unauthorized")
        call, method, wrong = await self._read(request)
        fault = self._see(call)
        if wrong is not None:
            raise wrong
        if fault is not None and not await self._is_processed(fault, request):
            return await self._go_wrong(fault, request)
        result = await self._result(call, method, request)
        if fault is not None and not isinstance(fault, fault_kinds.Slow):
            return await self._go_wrong(fault, request)
        acknowledge = BackgroundTask(self._acknowledge, request, result)
        return JsonAnswer({"ok": True, "result": result}, background=acknowledge)

    async def _read(self, request: Request) -> tuple[Call, Method, ApiRefusal | None]:
        """The call, its method, and what is wrong with it."""
        given = request.path_params["method"]
        name = self._world.api.method_named(given)
        if name is None:
            raise self._refused(given, ApiRefusal(404, "Not Found", violation=True))
        method = self._world.api.methods[name]
        try:
            call = await read_call(request, name, method)
        except ApiRefusal as refusal:
            raise self._refused(name, refusal) from refusal
        stated = {**call.parameters, **dict.fromkeys(call.uploads, "attach://")}
        mistakes = self._world.checker.fields(stated, method.fields)
        if not mistakes:
            return call, method, None
        wrong = bad_request("; ".join(mistakes), violation=True)
        return call, method, self._refused(name, wrong)

    def _see(self, call: Call) -> Fault | None:
        self._counts[call.method] += 1
        chat_id = call.parameters.get("chat_id")
        seen = RequestSeen(
            method=call.method,
            parameters=call.parameters,
            chat_id=chat_id if isinstance(chat_id, int) else None,
            number=self._counts.total(),
            count=self._counts[call.method],
        )
        self.requests.append(seen)
        self._world.changes.tell()
        return self.faults(seen)

    async def _is_processed(self, fault: Fault, request: Request) -> bool:
        match fault:
            case fault_kinds.Slow(until=event):
                await unless_gone(request, event.wait())
                return True
            case (
                fault_kinds.ServerError(processed=processed)
                | fault_kinds.MalformedJson(processed=processed)
                | fault_kinds.Hang(processed=processed)
                | fault_kinds.CutAfterRead(processed=processed)
            ):
                return processed
        return False

    async def _go_wrong(self, fault: Fault, request: Request) -> Response:
        match fault:
            case fault_kinds.TooManyRequests(retry_after=seconds):
                raise too_many_requests(seconds)
            case fault_kinds.Conflict():
                raise conflict(
                    "terminated by other getUpdates request; "
                    "make sure that only one bot instance is running"
                )
            case fault_kinds.BadRequest(description=description):
                raise bad_request(description)
            case fault_kinds.Blocked():
                raise forbidden("bot was blocked by the user")
            case fault_kinds.ServerError():
                raise ApiRefusal(500, "Internal Server Error")
            case fault_kinds.BadGateway():
                return HTMLResponse(BAD_GATEWAY_PAGE, 502)
            case fault_kinds.MalformedJson():
                return Response('{"ok": true, "result": [', media_type="application/json")
            case fault_kinds.CutAfterRead():
                await cut(request)
            case _:
                await until_gone(request)
        raise ClientGoneError

    async def _result(self, call: Call, method: Method, request: Request) -> JsonValue:
        try:
            if call.method == GET_UPDATES:
                return await self._poll(call, request)
            served = SERVED.get(call.method)
            if served is None:
                raise ApiRefusal(501, f"{call.method} is not served", violation=True)
            result = served(self._world, call)
        except ApiRefusal as refusal:
            raise self._refused(call.method, refusal) from refusal
        self._world.checker.require(result, method.returns, what=f"the answer to {call.method}")
        return result

    async def _poll(self, call: Call, request: Request) -> JsonValue:
        """Updates were checked when they were made, but for those that a test wants wrong."""
        limit = call.integer("limit", MAX_UPDATES)
        polling = self._world.updates.poll(
            call.integer("offset"),
            min(max(limit, 1), MAX_UPDATES),
            min(call.integer("timeout"), MAX_POLL_SECONDS),
            call.strings("allowed_updates"),
        )
        return [*await unless_gone(request, polling)]

    def _refused(self, method: str, refusal: ApiRefusal) -> ApiRefusal:
        told = f"{method}: {refusal.description}"
        self.refusals.append(told)
        if refusal.violation:
            self.violations.append(told)
        return refusal

    async def _acknowledge(self, request: Request, result: JsonValue) -> None:
        if is_open(request):
            self._world.acknowledge(result)

    async def _download(self, request: Request) -> Response:
        stored = self._world.files.at(request.path_params["path"])
        if request.path_params["token"] != self._token or stored is None:
            return JsonAnswer(ApiRefusal(404, "Not Found").json(), 404)
        return Response(stored.content, media_type="application/octet-stream")
