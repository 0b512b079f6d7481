"""What only the daemon can do with memory, for the command line: search by meaning, and
index anew. Served on the local socket alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gaia.errors import GaiaError, IndexUnavailableError, MissingOwnerError
from gaia.memory.index.index import Index
from gaia.memory.search import Search
from gaia.ops.memory_report import (
    REINDEX_PATH,
    SEARCH_PATH,
    ReindexStep,
    SearchQuestion,
    search_report,
)
from gaia.web.steps import Steps, Tell


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
