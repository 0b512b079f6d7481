"""Queries of the command line. Served on the local socket alone."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gaia.errors import GaiaError
from gaia.ops.queries.query import QUERY_PATH
from gaia.ports import Clock
from gaia.store.engine import Database


def query_routes(database: Database, clock: Clock) -> Sequence[BaseRoute]:
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
            report = await database.read(query.answer_from, question, clock.now(), running=True)
        except ValidationError as exc:
            return JSONResponse({"error": str(exc)}, status_code=400)
        except GaiaError as exc:
            told = {"error": str(exc), "exit_code": exc.exit_code}
            return JSONResponse(told, status_code=422)
        return Response(report.model_dump_json(), media_type="application/json")

    return (Route(f"{QUERY_PATH}/{{name}}", answer, methods=["POST"]),)
