"""What only the daemon can do with memory, for the command line: search by meaning, and
index anew. Served on the local socket alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from gaia.errors import GaiaError, IndexUnavailableError, MissingOwnerError
from gaia.memory.index.index import Index
from gaia.memory.search import Search
from gaia.ops.memory_report import ReindexStep, SearchQuestion, search_report

SEARCH_PATH = "/local/memory/search"
REINDEX_PATH = "/local/memory/reindex"


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
        return Response(search_report(found).model_dump_json(), media_type="application/json")

    async def rebuild(request: Request) -> Response:
        return Reindexing(index)

    return (
        Route(SEARCH_PATH, find, methods=["POST"]),
        Route(REINDEX_PATH, rebuild, methods=["POST"]),
    )


class Reindexing(Response):
    """Indexes anew, and tells how far it is. Whoever stops listening stops nothing."""

    media_type = "application/x-ndjson"

    def __init__(self, index: Index) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._index = index

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        steps: asyncio.Queue[ReindexStep | None] = asyncio.Queue()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._tell(steps, send))
            try:
                await self._index.reindex(
                    lambda done, total: steps.put_nowait(ReindexStep(done=done, total=total))
                )
                steps.put_nowait(ReindexStep(finished=True))
            except IndexUnavailableError as exc:
                steps.put_nowait(ReindexStep(error=str(exc)))
            steps.put_nowait(None)

    async def _tell(self, steps: asyncio.Queue[ReindexStep | None], send: Send) -> None:
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
