"""What the local socket serves for the command line: queries, searches of memory, its index again,
digests at once, changed settings, and the WebSocket of `gaia chat`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from channels.terminal import TerminalChannel
from channels.terminal_wire import TERMINAL_PATH
from gaia.digest.worker import DigestWorker, digest_now
from gaia.errors import GaiaError, IndexUnavailableError, MissingOwnerError
from gaia.memory.index.index import Index
from gaia.memory.search.search import Search
from gaia.ops.queries.query import QUERY_PATH
from gaia.ops.report import Report
from gaia.ops.wire import (
    DIFF_PATH,
    DIGEST_PATH,
    REINDEX_PATH,
    RELOAD_PATH,
    SEARCH_PATH,
    DigestOutcome,
    DigestRequest,
    DigestStep,
    ReindexStep,
    ReloadReport,
    SearchQuestion,
    search_report,
)
from gaia.ports import Clock
from gaia.settings.schema import Settings
from gaia.store.engine import Database
from gaia.swappable import Swappable
from gaia.web.app import reported

Tell = Callable[[Report], None]
logger = logging.getLogger(__name__)


def query_routes(
    database: Database, clock: Clock, settings: Swappable[Settings]
) -> Sequence[BaseRoute]:
    """Each query has a path of its own, and answers with its report; what gaia refuses on
    purpose is told with 422."""

    async def answer(request: Request) -> Response:
        # Nobody may ask for days.
        from gaia.ops.queries.registry import QUERIES

        query = QUERIES.get(request.path_params["name"])
        if query is None:
            return Response(status_code=404)
        try:
            question = query.question.model_validate_json(await request.body())
            report = await database.read(query.answer_from, question, clock.now(), settings.value)
        except ValidationError as exc:
            return JSONResponse({"error": str(exc)}, status_code=400)
        except GaiaError as exc:
            told = {"error": str(exc), "exit_code": exc.exit_code}
            return JSONResponse(told, status_code=422)
        return reported(report)

    return (Route(f"{QUERY_PATH}/{{name}}", answer, methods=["POST"]),)


def memory_routes(search: Search, index: Index) -> Sequence[BaseRoute]:
    """`search` answers with a `SearchReport`; `reindex` with a `ReindexStep` a line, as
    they come, the last of which says how it ended."""

    async def find(request: Request) -> Response:
        try:
            asked = SearchQuestion.model_validate_json(await request.body())
            found = await search.hits(asked.user_id, asked.words, limit=asked.limit)
        except (ValidationError, MissingOwnerError) as exc:
            return JSONResponse({"error": str(exc)}, status_code=400)
        except GaiaError as exc:
            return JSONResponse({"error": str(exc)}, status_code=503)
        return reported(search_report(found))

    async def rebuild(request: Request) -> Response:
        return Steps(partial(_reindex, index))

    return (
        Route(SEARCH_PATH, find, methods=["POST"]),
        Route(REINDEX_PATH, rebuild, methods=["POST"]),
    )


async def _reindex(index: Index, tell: Tell) -> None:
    try:
        await index.reindex(lambda done, total: tell(ReindexStep(done=done, total=total)))
    except IndexUnavailableError as exc:
        tell(ReindexStep(error=str(exc)))
    else:
        tell(ReindexStep(finished=True))


def session_routes(
    database: Database, digest_worker: DigestWorker, clock: Clock
) -> Sequence[BaseRoute]:
    """`digest` answers with a `DigestStep` a line, as they come."""

    async def digest(request: Request) -> Response:
        try:
            wish = DigestRequest.model_validate_json(await request.body())
        except ValidationError as exc:
            return JSONResponse({"error": str(exc)}, status_code=400)
        return Steps(partial(_digest, database, digest_worker, clock, wish))

    return (Route(DIGEST_PATH, digest, methods=["POST"]),)


async def _digest(
    database: Database, digest_worker: DigestWorker, clock: Clock, wish: DigestRequest, tell: Tell
) -> None:
    try:
        standing = await digest_now(
            database,
            digest_worker,
            clock,
            wish.user_id,
            retry=wish.retry,
            tell=lambda done, total: tell(DigestStep(done=done, total=total)),
        )
    except GaiaError as exc:
        tell(DigestStep(error=str(exc)))
        return
    outcomes = tuple(
        DigestOutcome.of(
            each, error=each.error or "", waits=each.user_id in digest_worker.over_budget
        )
        for each in standing
    )
    tell(DigestStep(outcomes=outcomes))


def settings_routes(
    reload: Callable[[], Awaitable[ReloadReport]], differences: Callable[[], ReloadReport]
) -> Sequence[BaseRoute]:
    """Both answer with a `ReloadReport`."""

    async def take_up(request: Request) -> Response:
        return reported(await reload())

    async def compare(request: Request) -> Response:
        return reported(await asyncio.to_thread(differences))

    return (
        Route(RELOAD_PATH, take_up, methods=["POST"]),
        Route(DIFF_PATH, compare, methods=["POST"]),
    )


class Steps(Response):
    """Does `work`, and sends what that tells: a line of JSON a step, as they come. Whoever
    stops listening stops nothing."""

    media_type = "application/x-ndjson"

    def __init__(self, work: Callable[[Tell], Awaitable[None]]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        steps: asyncio.Queue[Report | None] = asyncio.Queue()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._send(steps, send))
            await self._work(steps.put_nowait)
            steps.put_nowait(None)

    async def _send(self, steps: asyncio.Queue[Report | None], send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": self.raw_headers,
            }
        )
        while (step := await steps.get()) is not None:
            body = step.model_dump_json().encode() + b"\n"
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def terminal_route(find: Callable[[], TerminalChannel | None]) -> WebSocketRoute:
    """The route that `gaia chat` connects to. It answers on a UNIX socket only:
    whoever may open the socket is the owner, which a TCP port cannot tell."""

    async def attend(websocket: WebSocket) -> None:
        if not _is_local(websocket):
            logger.warning("A terminal client over TCP is refused")
            await websocket.close()
            return
        channel = find()
        if channel is None:
            logger.warning("A terminal client is refused: channels.terminal.enabled is false")
            await websocket.close()
            return
        await websocket.accept()
        try:
            await channel.attend(_WebSocketConnection(websocket))
        except ConnectionError:
            return

    return WebSocketRoute(TERMINAL_PATH, attend)


class _WebSocketConnection:
    """A `channels.terminal_attachment.Connection` over Starlette's WebSocket."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    async def read(self) -> str | None:
        try:
            return await self._websocket.receive_text()
        except (WebSocketDisconnect, KeyError):
            # A binary message has no text: whoever sends one is no client of ours.
            return None

    async def write(self, text: str) -> None:
        try:
            await self._websocket.send_text(text)
        except WebSocketDisconnect as exc:
            raise ConnectionError("the terminal client is gone") from exc


def _is_local(websocket: WebSocket) -> bool:
    """Whether the socket is a UNIX one: ASGI gives it a path and no port."""
    server = websocket.scope.get("server")
    return server is not None and server[1] is None
