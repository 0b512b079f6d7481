"""A chat that hosts gaia gives way to the service: `gaia serve` asks it over the control socket
to let go of the home, and waits. The chat goes on as a client."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gaia.clock import within
from gaia.errors import AlreadyRunningError
from gaia.ops.service.watchdog import first_line
from gaia.paths import Home
from gaia.ports import Clock
from gaia.store.lock import DaemonLock

logger = logging.getLogger(__name__)

PATH = "/local/hand-over"
ANSWER_SECONDS = 5.0
PATIENCE_SECONDS = 60.0
"""How long a service waits for a chat to let go, or for a command that holds the home."""

PAUSE_SECONDS = 0.25


def hand_over_routes(asked: asyncio.Event) -> Sequence[BaseRoute]:
    """What a daemon serves that is hosted by a chat: `asked` is set by who wants the home."""

    async def hand_over(_: Request) -> Response:
        asked.set()
        return Response(status_code=HTTPStatus.ACCEPTED)

    return [Route(PATH, hand_over, methods=["POST"])]


async def lock_for_service(home: Home, clock: Clock) -> DaemonLock:
    """The lock of the home, held for the service. A chat that hosts gaia there is asked to let
    go, and a command that holds it is waited for; not another service.

    Raises:
        AlreadyRunningError: Another service has the home, or nobody lets go of it in time.
        HomeError: The lock cannot be written.
    """
    lock, began, is_told = DaemonLock(home, served=True), clock.monotonic(), False
    while True:
        try:
            lock.acquire()
        except AlreadyRunningError:
            # One that has the home since is a chat: a service does not come in between.
            if await _hands_over(home, clock) is False and not is_told:
                raise
            if clock.monotonic() - began >= PATIENCE_SECONDS:
                raise
        else:
            return lock
        if not is_told:
            logger.info("waiting for another process to let go of %s", home.root)
            is_told = True
        await clock.sleep(PAUSE_SECONDS)


async def _hands_over(home: Home, clock: Clock) -> bool | None:
    """Whether who has the home lets go of it; None if nobody answers."""
    try:
        asking = first_line(home.control_socket, f"POST {PATH}")
        answer = await within(clock, ANSWER_SECONDS, asking)
    except (OSError, TimeoutError):
        return None
    return f" {HTTPStatus.ACCEPTED.value} ".encode() in answer if answer else None
