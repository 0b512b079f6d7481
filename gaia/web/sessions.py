"""Digesting at once, for the command line. Served on the local socket alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gaia.digest.at_once import digest_now
from gaia.digest.worker import Digesting
from gaia.errors import GaiaError
from gaia.ops.digest_report import DIGEST_PATH, DigestOutcome, DigestStep, DigestWish
from gaia.ports import Clock
from gaia.store.engine import Database
from gaia.web.steps import Steps, Tell


def session_routes(database: Database, digesting: Digesting, clock: Clock) -> Sequence[BaseRoute]:
    """`digest` answers with a `DigestStep` a line, as they come."""

    async def digest(request: Request) -> Response:
        try:
            wish = DigestWish.model_validate_json(await request.body())
        except ValidationError as exc:
            return JSONResponse({"error": str(exc)}, status_code=400)
        return Steps(partial(_digest, database, digesting, clock, wish))

    return (Route(DIGEST_PATH, digest, methods=["POST"]),)


async def _digest(
    database: Database, digesting: Digesting, clock: Clock, wish: DigestWish, tell: Tell
) -> None:
    try:
        standing = await digest_now(
            database,
            digesting,
            clock,
            wish.user_id,
            retry=wish.retry,
            tell=lambda done, total: tell(DigestStep(done=done, total=total)),
        )
    except GaiaError as exc:
        tell(DigestStep(error=str(exc)))
        return
    outcomes = tuple(
        DigestOutcome(
            user_id=each.user_id,
            session_id=each.session_id,
            state=each.state,
            learned=each.learned,
            changed=each.changed,
            error=each.error or "",
            waits=each.user_id in digesting.over_budget,
        )
        for each in standing
    )
    tell(DigestStep(outcomes=outcomes))
