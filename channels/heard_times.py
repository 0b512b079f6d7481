"""What time a provider says it is, noted by the way: for `gaia doctor`, which compares clocks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import httpx

from gaia.findings import Heard

EventHooks = dict[str, list[Callable[..., Awaitable[None]]]]


def noting(heard: Heard | None) -> EventHooks:
    """The event hooks of an httpx client that tell `heard`; none without it."""
    if heard is None:
        return {}

    async def note(response: httpx.Response) -> None:
        heard(response.url.host, response.headers.get("date", ""))

    return {"response": [note]}
