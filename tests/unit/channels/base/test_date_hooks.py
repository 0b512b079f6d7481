from __future__ import annotations

import httpx

from channels.base.http import date_hooks

DATE = "Sat, 28 Nov 2026 18:00:00 GMT"


async def test_host_and_date_of_each_answer_are_told() -> None:
    heard: list[tuple[str, str]] = []
    answers = iter([{"date": DATE}, {}])
    async with httpx.AsyncClient(
        transport=httpx.MockTransport(lambda request: httpx.Response(500, headers=next(answers))),
        event_hooks=date_hooks(lambda host, date: heard.append((host, date))),
    ) as client:
        await client.get("https://a.example/secret")
        await client.get("https://b.example/")
    assert heard == [("a.example", DATE), ("b.example", "")]


def test_without_anybody_to_tell_there_is_no_hook() -> None:
    assert date_hooks(None) == {}
